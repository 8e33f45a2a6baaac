import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { canonicalHandle } from '@agentrelay/protocol';
import type { Document, YAMLMap } from 'yaml';
import { readTextFile, refuseOthers, writeFileAtomically, statFile } from './private-file';
import { MEMBER_NAMES, type StatedTrust, type Trust, TrustReader, type UnknownPolicy } from './trust-document';
import { listAt, mapAt, removeWhere, rootOf, setList, setValue } from './trust-edits';
import { WorkstationFileError } from './workstation-file-error';
import { belowFolder, isWithin, mayBeWithin } from './written-path';

/** What one teammate is trusted with, the file's defaults merged in. */
export interface TeammateTrust {
  handle: string;
  /** Named under `teammates`. */
  known: boolean;
  blocked: boolean;
  /** What the file says about teammates whom it does not name; it holds for this one when `known` is false. */
  policy: UnknownPolicy;
  autoRead: boolean;
  autoTest: boolean;
  autoWritePaths: string[];
  requireApproval: string[];
}

/** What can be set about a teammate; what is left out stays. */
export type TrustPatch = StatedTrust;

const EMPTY = 'version: 1\n';
const OTHERS_MAY_WRITE = 0o022;
const FILE_NAME = 'trust.yaml';

/**
 * `trust.yaml` (mcp.md, "Layer 3"): what this user lets the agent do without asking, for whose handoffs. Edits keep the
 * user's comments, order and members that we do not know.
 */
export class TrustFile {
  private trust: Trust;
  private edited = false;

  private constructor(
    readonly path: string,
    private source: string,
    private readonly reader: TrustReader,
  ) {
    this.trust = reader.read();
  }

  /**
   * Reads the file in `home`; a missing one trusts nobody with anything.
   * @throws WorkstationFileError with the place when it is not a trust file, or when others may change it
   */
  static load(home: string): TrustFile {
    const path = join(home, FILE_NAME);
    const stats = statFile(path);
    if (stats !== undefined) refuseOthers(path, stats, OTHERS_MAY_WRITE, 'says whom to trust and can be changed');
    const source = readTextFile(path) ?? EMPTY;
    return new TrustFile(path, source, new TrustReader(path, source));
  }

  /** What `handle` is trusted with. Nothing holds for the blocked, nor for the unknown unless the policy is the defaults. */
  trustOf(handle: string): TeammateTrust {
    const canonical = canonicalHandle(handle);
    const { teammates, policy, defaults } = this.trust;
    const stated = teammates.get(canonical);
    const blocked = this.trust.blocked.includes(canonical);
    const trusted = !blocked && (stated !== undefined || policy === 'allow_with_default_trust');
    const merged = { ...defaults, ...stated };
    return {
      handle: canonical,
      known: stated !== undefined,
      blocked,
      policy,
      autoRead: trusted && (merged.autoRead ?? false),
      autoTest: trusted && (merged.autoTest ?? false),
      autoWritePaths: trusted ? [...(merged.autoWritePaths ?? [])] : [],
      // What always needs approval is added to, never taken back.
      requireApproval: [...new Set([...(defaults.requireApproval ?? []), ...(stated?.requireApproval ?? [])])],
    };
  }

  /**
   * Whether a handoff of `handle` may change the file at `path`, relative to the project, without the user being asked:
   * only for a teammate named in the file, only below a listed path, and never below one that requires approval. What a
   * symbolic link inside the project points to is for whoever writes to look at.
   */
  mayWrite(handle: string, path: string): boolean {
    const { known, autoWritePaths, requireApproval } = this.trustOf(handle);
    const asked = belowFolder(path);
    if (!known || asked === undefined) return false;
    const listed = (paths: string[]): string[] => paths.map(belowFolder).filter((entry) => entry !== undefined);
    return (
      listed(autoWritePaths).some((entry) => isWithin(asked, entry)) &&
      !listed(requireApproval).some((entry) => mayBeWithin(asked, entry))
    );
  }

  /** Whether the file can keep anybody's words from the agent. */
  mayWithhold(): boolean {
    return this.trust.policy === 'reject' || this.trust.blocked.length > 0;
  }

  /** The teammates that the file names, in its order. */
  teammates(): TeammateTrust[] {
    return [...this.trust.teammates.keys()].map((handle) => this.trustOf(handle));
  }

  /** Whom this workstation blocks, in the file's order. */
  blocked(): string[] {
    return [...new Set(this.trust.blocked)];
  }

  /** Members of the file that change nothing, like `teammates.frank@acme.nickname`: the user's own, or misspelt. */
  unknownMembers(): string[] {
    return [...this.trust.unknownMembers];
  }

  /** Names the teammate in the file and sets what the patch holds. */
  set(handle: string, patch: TrustPatch): void {
    this.edit((document) => {
      const entry = this.entryOf(document, handle);
      for (const [member, name] of Object.entries(MEMBER_NAMES)) {
        const value = patch[member as keyof TrustPatch];
        if (typeof value === 'boolean') setValue(document, entry, name, value);
        else if (value !== undefined) setList(document, entry, name, value);
      }
    });
  }

  /** Takes the teammate out of the file's `teammates`: unknown again. */
  reset(handle: string): void {
    if (!this.trust.teammates.has(canonicalHandle(handle))) return;
    this.edit((document) => {
      removeWhere(document, mapAt(document, rootOf(document), 'teammates'), (key) => isSame(key, handle));
    });
  }

  block(handle: string): void {
    if (this.trust.blocked.includes(canonicalHandle(handle))) return;
    this.edit((document) => {
      listAt(document, rootOf(document), 'blocked').add(document.createNode(canonicalHandle(handle)));
    });
  }

  unblock(handle: string): void {
    if (!this.trust.blocked.includes(canonicalHandle(handle))) return;
    this.edit((document) => {
      removeWhere(document, listAt(document, rootOf(document), 'blocked'), (item) => isSame(item, handle));
    });
  }

  /**
   * Writes the edits, whole or not at all; without edits nothing.
   * @throws WorkstationFileError when the file or its folder cannot be written, or somebody else changed it meanwhile
   */
  save(): void {
    if (!this.edited) return;
    const now = readTextFile(this.path);
    if (now !== undefined && now !== this.source) {
      throw new WorkstationFileError(
        this.path,
        'was changed by somebody else meanwhile; nothing was written, try again.',
      );
    }
    writeFileAtomically(this.path, this.toString());
    this.source = this.toString();
    this.edited = false;
  }

  /** The file's text with the edits. */
  toString(): string {
    return this.edited ? inTheStyleOf(this.source, this.reader.document) : this.source;
  }

  /** An edit that changes no value leaves the file's text as it is, too. */
  private edit(change: (document: Document) => void): void {
    const before = this.trust;
    change(this.reader.document);
    this.trust = this.reader.read();
    if (!isDeepStrictEqual(before, this.trust)) this.edited = true;
  }

  /** The teammate's mapping under the key that the file has, whatever its case. */
  private entryOf(document: Document, handle: string): YAMLMap {
    const teammates = mapAt(document, rootOf(document), 'teammates');
    const key = teammates.items.map((pair) => String(pair.key)).find((written) => isSame(written, handle));
    return mapAt(document, teammates, key ?? canonicalHandle(handle));
  }
}

function isSame(written: string, handle: string): boolean {
  return canonicalHandle(written) === canonicalHandle(handle);
}

/** The document as text, with the indentation, brackets and line ends that the source has. */
function inTheStyleOf(source: string, document: Document): string {
  const indent = /^( +)[^\s#-]/m.exec(source)?.[1]?.length;
  const text = document.toString({
    lineWidth: 0,
    indent: indent ?? 2,
    indentSeq: !/^( *)[^\s#-][^\n]*:\s*\n(?:\s*#[^\n]*\n)*\1- /m.test(source),
    flowCollectionPadding: !/[[{][^\s\]}]/.test(source),
  });
  return source.includes('\r\n') ? text.replace(/\r?\n/g, '\r\n') : text;
}
