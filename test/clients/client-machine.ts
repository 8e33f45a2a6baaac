import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** An ordinary user; as root the programs would behave otherwise, and some do not start. */
const USER = 61_234;

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** A developer's machine: an empty home, an ordinary user, and no variable but these. */
export class ClientMachine {
  readonly home = mkdtempSync(join(tmpdir(), 'agentrelay-client-'));
  readonly project = join(this.home, 'project');

  constructor(private readonly modelUrl: string) {
    mkdirSync(this.project);
    this.own(this.home, this.project);
  }

  path(...names: string[]): string {
    return join(this.home, ...names);
  }

  /** Writes a file that belongs to the user. */
  write(name: string, content: string, mode = 0o644): void {
    const path = this.path(name);
    const made = mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { mode });
    for (let at = dirname(path); made !== undefined && at.startsWith(made); at = dirname(at)) this.own(at);
    this.own(path);
  }

  /** What is in the home folder, at its top. */
  list(): string[] {
    return readdirSync(this.home).sort();
  }

  /** Runs a program to its end. */
  async run(command: string, args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
    const child = spawn(command, args, {
      env: { ...this.environment(), ...environment },
      cwd: this.project,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(process.getuid?.() === 0 && { uid: USER, gid: USER }),
    });
    const ended: Ended = { code: -1, stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (ended.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (ended.stderr += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { ...ended, code: code ?? -1 };
  }

  /** A line that somebody pastes into a terminal. */
  async paste(line: string): Promise<Ended> {
    return this.run('bash', ['-c', line]);
  }

  private environment(): Record<string, string> {
    const bin = this.path('.npm-global/bin');
    return {
      HOME: this.home,
      PATH: [bin, process.env['AGENTRELAY_CLIENTS_PATH'] ?? '', dirname(process.execPath), '/usr/bin', '/bin'].join(
        ':',
      ),
      NPM_CONFIG_PREFIX: dirname(bin),
      NPM_CONFIG_OFFLINE: 'true',
      NPM_CONFIG_UPDATE_NOTIFIER: 'false',
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      NO_COLOR: '1',
      ANTHROPIC_BASE_URL: this.modelUrl,
      ANTHROPIC_API_KEY: 'dummy',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // On a busy machine the first request would be sent before any server is there.
      MCP_CONNECTION_NONBLOCKING: 'false',
      OPENAI_API_KEY: 'dummy',
      GOOGLE_GEMINI_BASE_URL: this.modelUrl,
      GEMINI_API_KEY: 'dummy',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: this.modelUrl,
      COPILOT_PROVIDER_TYPE: 'anthropic',
      COPILOT_PROVIDER_API_KEY: 'dummy',
      COPILOT_MODEL: 'claude-sonnet-4.5',
    };
  }

  private own(...paths: string[]): void {
    if (process.getuid?.() === 0) for (const path of paths) chownSync(path, USER, USER);
  }
}

/** The package as it is published, packed where every user can read it. */
export function packedProduct(root: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'agentrelay-packed-'));
  chmodSync(folder, 0o755);
  const options = ['pack', join(root, 'dist/package'), '--json', '--pack-destination', folder];
  const [packed] = JSON.parse(execFileSync('npm', options, { encoding: 'utf8' })) as [{ filename: string }];
  return join(folder, packed.filename);
}
