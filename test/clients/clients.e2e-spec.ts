import { resolve } from 'node:path';
import { useRelay } from '@agentrelay/testing';
import { type ClientProgram, CLIENT_PROGRAMS, clientProgram } from './client-programs';
import { ClientMachine, packedProduct } from './client-machine';
import { ScriptedModel, type Step } from './scripted-model';

const ROOT = resolve(__dirname, '../..');
const TOOLS = [
  'accept_handoff',
  'cancel_handoff',
  'check_inbox',
  'complete_handoff',
  'draft_proposed_action',
  'handoff_to_teammate',
  'list_teammates',
  'send_message',
  'view_thread',
  'wait_for_updates',
];

const relay = useRelay();
let tarball: string;
let model: ScriptedModel;
/** Of the long thread, for the client that is given the shortest ones. */
const MOST_PARTS = 17;

let scripts = 0;

beforeAll(() => (tarball = packedProduct(ROOT)));
beforeEach(async () => {
  model = new ScriptedModel();
  await model.start();
});
afterEach(() => model.stop());

/** A developer with one coding agent, connected by the two lines that are pasted. */
class Developer {
  readonly machine = new ClientMachine(model.url);
  readonly pasted: string[] = [];

  constructor(
    readonly handle: string,
    readonly program: ClientProgram,
  ) {}

  async connect(...options: string[]): Promise<void> {
    this.program.prepare(this.machine, model.url);
    const body = { handle: this.handle, inviter_handle: 'inviter@acme' };
    const { body: invite } = await relay.admin<{ url: string }>('POST', '/admin/invites', body);
    await this.paste(`npm install --global ${tarball}`);
    await this.paste([`agentrelay join '${invite.url}' --client ${this.program.name}`, ...options].join(' '));
  }

  async paste(line: string): Promise<string> {
    this.pasted.push(line);
    const { code, stdout, stderr } = await this.machine.paste(line);
    expect([line, code, stdout + stderr]).toEqual([line, 0, expect.any(String)]);
    return stdout;
  }

  /** Lets the agent play a script with our tools; gives what the model was shown of each result. */
  async plays(steps: Step[], options: Parameters<ClientProgram['ask']>[2] = { may: true }): Promise<Played> {
    const name = `script-${++scripts}`;
    model.script(name, steps);
    const { code, stdout, stderr } = await this.program.ask(this.machine, `SCRIPT:${name} Please go on.`, options);
    const output = stdout + stderr;
    expect([this.program.name, code, output]).toEqual([this.program.name, 0, expect.any(String)]);
    return { name, output, results: model.results(name).filter((result) => result !== '') };
  }
}

interface Played {
  name: string;
  output: string;
  results: string[];
}

async function developer(handle: string, name: ClientProgram['name'], ...options: string[]): Promise<Developer> {
  const one = new Developer(handle, clientProgram(name));
  await one.connect(...options);
  return one;
}

/** One hands work to the other, who takes it on, asks back, and completes it; the first reads the result. */
async function handOver(sender: Developer, recipient: Developer, words: string): Promise<void> {
  await sender.plays([
    { tool: 'list_teammates', input: {} },
    {
      tool: 'handoff_to_teammate',
      input: {
        to: recipient.handle,
        intent: 'ask_question',
        summary: `Summary: ${words}`,
        question: `Question: ${words}?`,
        artifacts: [{ type: 'file_ref', path: 'src/a.ts', lines: [1, 2] }],
      },
    },
  ]);
  expect(model.faults).toEqual([]);
  const done = await recipient.plays([
    { tool: 'check_inbox', input: {} },
    { tool: 'accept_handoff', input: { thread_id: '{{thread_id}}' } },
    { tool: 'send_message', input: { thread_id: '{{thread_id}}', body: `Reply: ${words}` } },
    { tool: 'complete_handoff', input: { thread_id: '{{thread_id}}', result_summary: `Result: ${words}` } },
  ]);
  expect(model.faults).toEqual([]);
  expect(done.results[0]).toContain(`Summary: ${words}`);
  expect(done.results[1]).toContain(`Question: ${words}?`);
  const read = await sender.plays([
    { tool: 'check_inbox', input: {} },
    { tool: 'view_thread', input: { thread_id: '{{thread_id}}' } },
  ]);
  expect(model.faults).toEqual([]);
  expect(read.results.at(-1)).toContain(`Result: ${words}`);
  expect(read.results.at(-1)).toContain(`Reply: ${words}`);
}

describe('real coding agents', () => {
  beforeEach(async () => {
    await relay.agent('inviter@acme');
  });

  it('hand work over in both directions, Claude Code and Codex, each from an empty home by two pasted lines', async () => {
    const claude = new Developer('claude@acme', clientProgram('claude-code'));
    const codex = new Developer('codex@acme', clientProgram('codex'));
    expect([claude.machine.list(), codex.machine.list()]).toEqual([['project'], ['project']]);
    await claude.connect();
    await codex.connect();
    await handOver(claude, codex, 'there');
    await handOver(codex, claude, 'and back');
    expect([claude.pasted.length, codex.pasted.length]).toEqual([2, 2]);
  });

  it('pass one handoff around a ring of all of them, each to the next with what it was told', async () => {
    const ring: Developer[] = [];
    for (const { name } of CLIENT_PROGRAMS) ring.push(await developer(`${name}@acme`, name));
    const [first, ...others] = ring;
    const handOn = (to: Developer, summary: string): Step => ({
      tool: 'handoff_to_teammate',
      input: { to: to.handle, intent: 'inform', summary },
    });
    await first!.plays([handOn(others[0]!, `Chain: ${first!.program.name}`)]);
    for (const [at, one] of others.entries()) {
      await one.plays([
        { tool: 'check_inbox', input: {} },
        { tool: 'accept_handoff', input: { thread_id: '{{thread_id}}' } },
        { tool: 'complete_handoff', input: { thread_id: '{{thread_id}}', result_summary: 'Passed on.' } },
        handOn(others[at + 1] ?? first!, `{{chain}} ${one.program.name}`),
      ]);
      expect([one.program.name, model.faults]).toEqual([one.program.name, []]);
    }
    const back = await first!.plays([
      { tool: 'check_inbox', input: {} },
      { tool: 'view_thread', input: { thread_id: '{{thread_id}}' } },
    ]);
    expect(model.faults).toEqual([]);
    expect(back.results.join('\n')).toContain(`Chain: ${ring.map(({ program }) => program.name).join(' ')}`);
  });

  it.each(CLIENT_PROGRAMS.map(({ name }) => name))('%s reads a long thread to its end, part by part', async (name) => {
    const one = await developer('one@acme', name);
    const two = await relay.agent('two@acme');
    const { task_id } = await two.send('one@acme');
    const marks = Array.from({ length: 22 }, (_, n) => `mark-${n + 1}.`);
    for (const mark of marks) await two.append(task_id, `${mark} ${'A line of a long log.\n'.repeat(150)}`);
    const on: Step = { tool: 'view_thread', input: { thread_id: task_id, from: '{{from}}' } };
    // Some are given shorter parts, so that they cut nothing out themselves.
    const parts = Array<Step>(MOST_PARTS).fill(on);
    const read = await one.plays([{ tool: 'view_thread', input: { thread_id: task_id } }, ...parts]);
    expect(model.faults).toEqual([]);
    const shown = read.results.join('\n');
    expect(marks.filter((mark) => !shown.includes(mark))).toEqual([]);
  });

  it.each(CLIENT_PROGRAMS.map(({ name }) => name))(
    '%s offers its model all ten tools with their whole shapes',
    async (name) => {
      const one = await developer('one@acme', name);
      const listed = await one.machine.run('mcp-inspector', ['--cli', 'agentrelay', 'mcp', '--method', 'tools/list']);
      const { tools } = JSON.parse(listed.stdout) as { tools: { name: string; inputSchema: Shape }[] };
      expect(tools.map((tool) => tool.name).sort()).toEqual(TOOLS);
      const played = await one.plays([{ text: 'Nothing.' }], {
        may: true,
        environment: { ENABLE_TOOL_SEARCH: 'false' },
      });
      const offered = model.offered(played.name);
      expect(offered.map((tool) => plainName(tool.name)).sort()).toEqual(TOOLS);
      for (const tool of tools) {
        const shape = offered.find((other) => plainName(other.name) === tool.name)?.schema as unknown as Shape;
        // Gemini CLI adds a member of its own to every tool.
        delete shape.properties?.['wait_for_previous'];
        expect([tool.name, outline(shape)]).toEqual([tool.name, outline(tool.inputSchema)]);
      }
      expect(played.output).not.toMatch(/Skipping MCP tool/);
    },
  );

  it('are told of a tool that is not there: the script cannot go on', async () => {
    const one = await developer('one@acme', 'copilot');
    await one.plays([{ tool: 'no_such_tool', input: {} }]);
    await one.plays([{ tool: 'view_thread', input: { thread: 7 } }]);
    expect(model.faults).toEqual([
      expect.stringContaining('no tool no_such_tool'),
      expect.stringContaining('view_thread does not take {"thread":7}'),
    ]);
  });

  describe('with the rules of install', () => {
    it.each(CLIENT_PROGRAMS.map(({ name }) => name))(
      '%s reads unasked, and sends only what the user allows',
      async (name) => {
        const one = await developer('one@acme', name);
        await relay.agent('two@acme');
        const reading = await one.plays([{ tool: 'check_inbox', input: {} }], {});
        expect(model.faults).toEqual([]);
        expect(reading.results.at(-1)).toMatch(/No handoffs for you|"items":\[\]/);
        const sending: Step[] = [
          { tool: 'handoff_to_teammate', input: { to: 'two@acme', intent: 'inform', summary: 'Unasked?' } },
        ];
        expect((await one.plays(sending, {})).results.join()).not.toContain('pending');
        expect((await one.plays(sending)).results.at(-1)).toContain('pending');
      },
    );

    it('Claude Code and Codex refuse commands whose effects leave the machine, and let edits be as the user has them', async () => {
      const claude = await developer('claude@acme', 'claude-code');
      const push = { own: 'Bash', input: { command: 'git push origin main', description: 'Push' } };
      const denied = await claude.plays([push], { environment: {} });
      expect(denied.results.at(-1)).toContain('denied');
      const write = { own: 'Write', input: { file_path: claude.machine.path('project/a.txt'), content: 'a' } };
      claude.machine.write('.claude/settings.local.json', '{}');
      const edits = await claude.machine.run('claude', ['--permission-mode', 'acceptEdits', '-p', scriptOf([write])]);
      expect(edits.code).toBe(0);
      await expect(claude.machine.run('cat', [claude.machine.path('project/a.txt')])).resolves.toMatchObject({
        stdout: 'a',
      });
      const codex = await developer('codex@acme', 'codex');
      const refused = await codex.plays([{ own: 'exec_command', input: { cmd: 'git push origin main' } }], {});
      expect(refused.results.at(-1)).toContain('policy forbids');
    });
  });

  describe('and doctor says of them', () => {
    async function doctorOf(one: Developer): Promise<{ code: number; said: string }> {
      const { code, stdout } = await one.machine.run('agentrelay', ['doctor', '--json']);
      const { checks } = JSON.parse(stdout) as { checks: { check: string; state: string; message: string }[] };
      const client = checks.filter(({ check }) => check === `client ${one.program.name}`);
      return { code, said: client.map(({ state, message }) => `${state}: ${message}`).join('\n') };
    }

    it.each(CLIENT_PROGRAMS.map(({ name }) => name))('that %s starts our server, when it does', async (name) => {
      const one = await developer('one@acme', name);
      const { code, said } = await doctorOf(one);
      expect([code, said]).toEqual([0, expect.stringMatching(/^ok: starts /)]);
    });

    it('that Claude Code takes nothing from settings with a comment, and puts the entry of a folder first', async () => {
      const one = await developer('one@acme', 'claude-code');
      one.machine.write('.claude/settings.json', '{ // mine\n "permissions": { "allow": ["mcp__agentrelay"] } }');
      const refused = await one.plays([{ tool: 'check_inbox', input: {} }], {});
      expect(refused.results.at(-1)).toContain("haven't granted");
      expect((await doctorOf(one)).said).toContain('nothing in that file is in effect');
      one.machine.write('.claude/settings.json', '{}');
      await one.machine.run('claude', ['mcp', 'add', 'agentrelay', '--', '/bin/true']);
      const { code, said } = await doctorOf(one);
      expect([code, said]).toEqual([1, expect.stringContaining('goes first: it starts /bin/true')]);
    });

    it('that Codex and Copilot CLI do not start what is turned off, and Gemini CLI nothing where it has no trust', async () => {
      const codex = await developer('codex@acme', 'codex');
      await codex.machine.paste(`sed -i 's/^args/enabled = false\\nargs/' ~/.codex/config.toml`);
      expect((await doctorOf(codex)).said).toContain('failed: Codex says: the server is turned off');
      const copilot = await developer('copilot@acme', 'copilot');
      await copilot.machine.run('copilot', ['mcp', 'disable', 'agentrelay']);
      expect((await doctorOf(copilot)).said).toContain('failed: Copilot CLI says: the server is disabled');
      for (const one of [codex, copilot]) {
        const { name } = await one.plays([{ text: 'Nothing.' }]);
        expect([one.program.name, model.offered(name)]).toEqual([one.program.name, []]);
      }
      const gemini = await developer('gemini@acme', 'gemini');
      const untrusted = await gemini.machine.run('agentrelay', ['doctor'], { GEMINI_CLI_TRUST_WORKSPACE: '' });
      expect(untrusted.stdout).toContain('starts no servers in this folder before you trust it');
    });
  });

  it('read what install wrote where their variables say', async () => {
    const places = {
      'claude-code': ['CLAUDE_CONFIG_DIR', 'elsewhere', ['mcp', 'get', 'agentrelay']],
      codex: ['CODEX_HOME', 'elsewhere', ['mcp', 'get', 'agentrelay']],
      gemini: ['GEMINI_CLI_HOME', 'elsewhere', ['mcp', 'list']],
      copilot: ['COPILOT_HOME', 'elsewhere', ['mcp', 'get', 'agentrelay']],
    } as const;
    for (const { name } of CLIENT_PROGRAMS) {
      const one = new Developer(`${name}@acme`, clientProgram(name));
      await one.paste(`npm install --global ${tarball}`);
      const [variable, folder, args] = places[name];
      const environment = { [variable]: one.machine.path(folder) };
      const installed = await one.machine.run('agentrelay', ['install', '--client', name], environment);
      expect([name, installed.code]).toEqual([name, 0]);
      const program = name === 'claude-code' ? 'claude' : name;
      const { stdout, stderr } = await one.machine.run(program, args, environment);
      expect([name, stdout + stderr]).toEqual([name, expect.stringContaining('/agentrelay')]);
      const other = await one.machine.run(program, args);
      expect([name, other.stdout]).toEqual([name, expect.not.stringContaining('/agentrelay')]);
      await one.machine.run('agentrelay', ['install', '--client', name, '--uninstall'], environment);
    }
  });
});

interface Shape {
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
  anyOf?: Shape[];
  oneOf?: Shape[];
}

/** The names of a schema's members, at every depth, whatever else a client writes differently. */
function outline({ properties = {}, items, anyOf, oneOf }: Shape): object {
  const branches = anyOf ?? oneOf;
  return {
    ...Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, outline(value)])),
    ...(items !== undefined && { '[]': outline(items) }),
    ...(branches !== undefined && { '|': branches.map(outline) }),
  };
}

function plainName(name: string): string {
  return name.replace(/^(mcp_+)?agentrelay[_-]+/, '');
}

function scriptOf(steps: Step[]): string {
  const name = `script-${++scripts}`;
  model.script(name, steps);
  return `SCRIPT:${name} Please go on.`;
}
