import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestAgent } from '@agentrelay/testing';
import { writeConfig } from '@agentrelay/workstation';

/** The program as it is installed: built by `npm test` before the tests run. */
export const PROGRAM = join(__dirname, '../../dist/apps/cli/src/main.js');

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** A developer's machine with an empty home folder. */
export class Workstation {
  readonly userHome = mkdtempSync(join(tmpdir(), 'agentrelay-cli-'));
  /** Where AgentRelay keeps its files, unless a test says otherwise. */
  readonly home = join(this.userHome, '.agentrelay');
  /** Where commands run. */
  folder = this.userHome;

  /** A machine that has joined as `agent`. */
  static of(agent: TestAgent): Workstation {
    const workstation = new Workstation();
    const { url, handle, agentId, apiKey } = agent;
    writeConfig(workstation.home, { relay_url: url, agent_handle: handle, agent_id: agentId, api_key: apiKey });
    return workstation;
  }

  path(...names: string[]): string {
    return join(this.userHome, ...names);
  }

  /** Makes the folders that coding agents have. */
  withClients(...folders: string[]): this {
    for (const folder of folders) mkdirSync(this.path(folder), { recursive: true });
    return this;
  }

  /** Runs `agentrelay` to its end, with exactly these variables besides PATH and HOME. */
  async run(args: readonly string[], environment: Record<string, string> = {}, stdin = ''): Promise<Ran> {
    return this.spawned(args, environment, 'pipe', stdin);
  }

  /** As `run`, with a file for stdin. */
  async runReading(path: string, args: readonly string[], environment: Record<string, string> = {}): Promise<Ran> {
    const file = openSync(path, 'r');
    try {
      return await this.spawned(args, environment, file);
    } finally {
      closeSync(file);
    }
  }

  private async spawned(
    args: readonly string[],
    environment: Record<string, string>,
    input: 'pipe' | number,
    stdin?: string,
    cwd = this.folder,
  ): Promise<Ran> {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      env: { PATH: process.env['PATH'] ?? '', HOME: this.userHome, ...environment },
      stdio: [input, 'pipe', 'pipe'],
      cwd,
    });
    const ran = { code: -1, stdout: '', stderr: '' };
    child.stdout?.on('data', (chunk: Buffer) => (ran.stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (ran.stderr += chunk.toString()));
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(stdin);
    const [code] = (await once(child, 'close')) as [number | null];
    return { ...ran, code: code ?? -1 };
  }

  /** As `run`, in another folder than the user's home. */
  async runIn(cwd: string, args: readonly string[], stdin = ''): Promise<Ran> {
    return this.spawned(args, {}, 'pipe', stdin, cwd);
  }

  /** The JSON that a command prints, which must succeed. */
  async json<Result = Record<string, unknown>>(
    args: readonly string[],
    environment: Record<string, string> = {},
  ): Promise<Result> {
    const { code, stdout, stderr } = await this.run([...args, '--json'], environment);
    if (code !== 0) throw new Error(`agentrelay ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
    return JSON.parse(stdout) as Result;
  }
}

/** A folder for PATH in which `agentrelay` is this program, for commands as people type them. */
export function folderOfProgram(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agentrelay-bin-'));
  writeFileSync(join(folder, 'agentrelay'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`, {
    mode: 0o755,
  });
  return folder;
}
