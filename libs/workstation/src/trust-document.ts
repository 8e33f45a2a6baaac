import { HANDLE_PATTERN } from '@agentrelay/protocol';
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import { memberElsewhere, misleadingMember } from './trust-members';
import { textTrap, yamlTrap } from './trust-traps';
import { WorkstationFileError } from './workstation-file-error';
import { isPlainPath } from './written-path';

/** What to do with a handoff of somebody whom `trust.yaml` does not name. */
export const POLICIES = ['ask', 'reject', 'allow_with_default_trust'] as const;
export type UnknownPolicy = (typeof POLICIES)[number];

/** What a teammate is trusted with, as far as one place of the file says. */
export interface StatedTrust {
  autoRead?: boolean;
  autoTest?: boolean;
  autoWritePaths?: string[];
  requireApproval?: string[];
}

/** The content of `trust.yaml`, handles in their canonical spelling. */
export interface Trust {
  teammates: Map<string, StatedTrust>;
  policy: UnknownPolicy;
  blocked: string[];
  defaults: StatedTrust;
  /** Members that mean nothing to us, like `teammates.frank@acme.nickname`: the user's own, or misspelt. */
  unknownMembers: string[];
}

/** How the members of `StatedTrust` are called in the file. */
export const MEMBER_NAMES = {
  autoRead: 'auto_read',
  autoTest: 'auto_test',
  autoWritePaths: 'auto_write_paths',
  requireApproval: 'require_approval',
} as const satisfies Record<keyof StatedTrust, string>;

const KNOWN_VERSION = 1;
const TOP_MEMBERS = ['version', 'teammates', 'unknown_teammates', 'blocked', 'defaults'];
const UNKNOWN_TEAMMATES_MEMBERS = ['policy'];
const OUR_MEMBERS = [...TOP_MEMBERS, ...UNKNOWN_TEAMMATES_MEMBERS, ...Object.values(MEMBER_NAMES)];

/** Reads the text of a `trust.yaml`, and says where it is wrong. */
export class TrustReader {
  private readonly lines = new LineCounter();
  private unknown: string[] = [];
  readonly document: Document;
  private readonly aliases = new Set<string>();

  /** @throws WorkstationFileError when it is not YAML or not a trust file */
  constructor(
    private readonly path: string,
    source: string,
  ) {
    // At a quieter log level than `error` the parser says nothing of further documents, and leaves them out.
    this.document = parseDocument(source, { lineCounter: this.lines, prettyErrors: false, logLevel: 'error' });
    const [fault] = [...this.document.errors, ...this.document.warnings];
    if (fault !== undefined) this.fail(fault.message, fault.pos[0]);
    visit(this.document, { Alias: (_key, { source: name }) => void this.aliases.add(name) });
    const trap = textTrap(source) ?? yamlTrap(source, this.document);
    if (trap !== undefined) this.fail(trap.reason, trap.offset);
  }

  /** @throws WorkstationFileError at the first value of a wrong type */
  read(): Trust {
    this.unknown = [];
    const root = this.mapOf(this.document.contents, 'the file');
    this.noteUnknown(root, TOP_MEMBERS);
    const version = this.member(root, 'version');
    if (version !== undefined && this.valueOf(version) !== KNOWN_VERSION) {
      this.fail(`version must be ${KNOWN_VERSION}, which is all that this AgentRelay knows.`, version.range?.[0]);
    }
    return {
      teammates: this.teammates(this.member(root, 'teammates')),
      policy: this.policy(this.mapOf(this.member(root, 'unknown_teammates'), 'unknown_teammates')),
      blocked: this.handles(this.member(root, 'blocked')),
      defaults: this.stated(this.member(root, 'defaults'), 'defaults', 'defaults.'),
      unknownMembers: this.unknown,
    };
  }

  /** Notes what is the user's own. What is easily taken for a member of ours, and would change nothing, is refused. */
  private noteUnknown(map: YAMLMap | undefined, known: readonly string[], above = ''): void {
    for (const { key, value } of map?.items ?? []) {
      const name = this.nameOf(key as Node | null);
      if (known.includes(name)) continue;
      const meant = misleadingMember(name, known, OUR_MEMBERS);
      if (meant !== undefined) {
        const shown = JSON.stringify(above + name);
        this.fail(`${shown} changes nothing, and looks like ${meant}. Mend it or take it out.`, offsetOf(key));
      }
      this.refuseOursBelow(above + name, value as Node | null);
      this.unknown.push(above + name);
    }
  }

  /** A misspelt member takes those below it with it, and a list of handles its name: a block there would be none. */
  private refuseOursBelow(name: string, value: Node | null): void {
    visit(value, {
      // What is written once and named in several places has its effect there.
      Collection: (_key, { anchor }) => (anchor !== undefined && this.aliases.has(anchor) ? visit.SKIP : undefined),
      Scalar: (place, { value: word, range }) => {
        if (place === 'value' || place === null || !HANDLE_PATTERN.test(String(word))) return;
        const shown = JSON.stringify(name);
        this.fail(
          `${String(word)} is neither trusted nor blocked below ${shown}. Mend that name, or take it out.`,
          range?.[0],
        );
      },
      Pair: (_key, { key }) => {
        const ours = isScalar(key) ? memberElsewhere(String(key.value), OUR_MEMBERS) : undefined;
        if (ours === undefined || ours === 'version') return;
        this.fail(
          `${ours} has no effect below ${JSON.stringify(name)}. Mend that name, or take it out.`,
          offsetOf(key),
        );
      },
    });
  }

  /** The name of a member, which stands there as itself. */
  private nameOf(key: Node | null): string {
    if (isScalar(key) && typeof key.value === 'string') return key.value;
    return this.fail('a member must be named by a plain text.', offsetOf(key));
  }

  private teammates(node: Node | undefined): Map<string, StatedTrust> {
    const found = new Map<string, StatedTrust>();
    for (const { key, value } of this.mapOf(node, 'teammates')?.items ?? []) {
      this.nameOf(key as Node | null);
      const handle = this.handle(key as Node).toLowerCase();
      if (found.has(handle)) this.fail(`${handle} stands twice in teammates.`, (key as Node).range?.[0]);
      found.set(handle, this.stated(value as Node | null, handle, `teammates.${handle}.`));
    }
    return found;
  }

  private stated(node: Node | null | undefined, name: string, above: string): StatedTrust {
    const map = this.mapOf(node, name);
    this.noteUnknown(map, Object.values(MEMBER_NAMES), above);
    const autoRead = this.flag(this.member(map, 'auto_read'), `auto_read of ${name}`);
    const autoTest = this.flag(this.member(map, 'auto_test'), `auto_test of ${name}`);
    const paths = this.member(map, 'auto_write_paths');
    const approval = this.member(map, 'require_approval');
    return {
      ...(autoRead !== undefined && { autoRead }),
      ...(autoTest !== undefined && { autoTest }),
      ...(paths && { autoWritePaths: this.paths(paths, `auto_write_paths of ${name}`) }),
      ...(approval && { requireApproval: this.paths(approval, `require_approval of ${name}`) }),
    };
  }

  private policy(map: YAMLMap | undefined): UnknownPolicy {
    this.noteUnknown(map, UNKNOWN_TEAMMATES_MEMBERS, 'unknown_teammates.');
    const node = this.member(map, 'policy');
    if (node === undefined) return 'ask';
    const policy = POLICIES.find((known) => known === this.valueOf(node));
    return policy ?? this.fail(`policy must be one of ${POLICIES.join(', ')}.`, node.range?.[0]);
  }

  private flag(node: Node | undefined, name: string): boolean | undefined {
    const value = node && this.valueOf(node);
    if (value === undefined || typeof value === 'boolean') return value;
    return this.fail(`${name} must be true or false.`, node?.range?.[0]);
  }

  private handles(node: Node | undefined): string[] {
    return this.itemsOf(node, 'blocked').map((item) => this.handle(item).toLowerCase());
  }

  /** A path that we could not compare would cover nothing: it is refused rather than passed over. */
  private paths(node: Node, name: string): string[] {
    return this.itemsOf(node, name).map((item) => {
      const value = this.valueOf(item);
      if (typeof value !== 'string') return this.fail(`${name} must be a list of texts.`, item.range?.[0]);
      if (isPlainPath(value)) return value;
      const what = 'is no plain path below the project, and patterns are not known. Name a file, or a folder for all';
      return this.fail(`${name}: ${JSON.stringify(value)} ${what} below it.`, item.range?.[0]);
    });
  }

  private itemsOf(node: Node | undefined, name: string): Node[] {
    const list = this.resolved(node);
    if (list === undefined || isEmpty(list)) return [];
    return isSeq(list) ? (list.items as Node[]) : this.fail(`${name} must be a list.`, list.range?.[0]);
  }

  private handle(node: Node): string {
    const value = this.valueOf(node);
    if (typeof value === 'string' && HANDLE_PATTERN.test(value)) return value;
    return this.fail('a teammate is named by a handle like frank@acme.', node.range?.[0]);
  }

  private mapOf(node: Node | null | undefined, name: string): YAMLMap | undefined {
    const map = this.resolved(node ?? undefined);
    if (map === undefined || isEmpty(map)) return undefined;
    return isMap(map) ? map : this.fail(`${name} must be a mapping of names to values.`, map.range?.[0]);
  }

  private member(map: YAMLMap | undefined, name: string): Node | undefined {
    const node = map?.get(name, true) as Node | null | undefined;
    return node ?? undefined;
  }

  private valueOf(node: Node): unknown {
    const scalar = this.resolved(node);
    return isScalar(scalar) ? scalar.value : undefined;
  }

  private resolved(node: Node | undefined): Node | undefined {
    if (!isAlias(node)) return node;
    return node.resolve(this.document) ?? this.fail(`nothing is called &${node.source}.`, node.range?.[0]);
  }

  private fail(reason: string, offset = 0): never {
    const { line, col } = this.lines.linePos(offset);
    throw new WorkstationFileError(this.path, reason, Math.max(line, 1), Math.max(col, 1));
  }
}

function offsetOf(node: unknown): number | undefined {
  return (node as Node | null)?.range?.[0];
}

/** A name with nothing behind its colon. */
function isEmpty(node: Node): boolean {
  return isScalar(node) && node.value === null;
}
