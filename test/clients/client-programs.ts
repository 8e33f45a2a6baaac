import type { ClientMachine, Ended } from './client-machine';

type Name = 'claude-code' | 'codex' | 'gemini' | 'copilot';

/** How a coding agent is run with one prompt and nobody to ask. */
export interface ClientProgram {
  name: Name;
  /** What a user has besides our entry: which model to speak to. */
  prepare(machine: ClientMachine, modelUrl: string): void;
  /** With `may` the user has allowed all of our tools; without it only what the client does unasked. */
  ask(machine: ClientMachine, prompt: string, options?: AskOptions): Promise<Ended>;
}

interface AskOptions {
  may?: boolean;
  environment?: Record<string, string>;
}

const CLAUDE_CODE: ClientProgram = {
  name: 'claude-code',
  prepare: () => undefined,
  ask: (machine, prompt, { may = false, environment } = {}) =>
    machine.run('claude', ['-p', prompt, ...(may ? ['--allowedTools', 'mcp__agentrelay'] : [])], environment),
};

const CODEX: ClientProgram = {
  name: 'codex',
  prepare: (machine, modelUrl) => {
    const provider = `[model_providers.scripted]\nname = "scripted"\nbase_url = "${modelUrl}/v1"\nwire_api = "responses"\n`;
    machine.write('.codex/config.toml', `model = "scripted"\nmodel_provider = "scripted"\n\n${provider}`);
  },
  ask: (machine, prompt, { may = false, environment } = {}) => {
    const allowed = ['-c', 'mcp_servers.agentrelay.default_tools_approval_mode="approve"'];
    // Without it Codex waits about a second for a server, which a busy machine does not keep.
    const patient = ['-c', 'mcp_servers.agentrelay.required=true'];
    const args = ['exec', '--skip-git-repo-check', ...patient, ...(may ? allowed : []), prompt];
    return machine.run('codex', args, { RUST_LOG: 'warn', ...environment });
  },
};

const GEMINI: ClientProgram = {
  name: 'gemini',
  prepare: (machine) => {
    machine.write('.gemini/settings.json', '{ "security": { "auth": { "selectedType": "gemini-api-key" } } }\n');
  },
  ask: (machine, prompt, { may = false, environment } = {}) =>
    machine.run('gemini', [...(may ? ['--approval-mode', 'yolo'] : []), '-p', prompt], environment),
};

const COPILOT: ClientProgram = {
  name: 'copilot',
  prepare: () => undefined,
  ask: (machine, prompt, { may = false, environment } = {}) =>
    machine.run('copilot', ['-p', prompt, ...(may ? ['--allow-tool', 'agentrelay'] : [])], environment),
};

export const CLIENT_PROGRAMS: readonly ClientProgram[] = [CLAUDE_CODE, CODEX, GEMINI, COPILOT];

export function clientProgram(name: Name): ClientProgram {
  const [program] = CLIENT_PROGRAMS.filter((one) => one.name === name);
  if (program === undefined) throw new Error(`There is no ${name}.`);
  return program;
}
