import { join } from 'node:path';
import { exitOnSignal } from '../apps/relay/src/exit-on-signal';
import { type DemoAgent, type DevelopmentRelay, CHECKOUT, startDevelopmentRelay } from './development-relay';

const DEFAULT_PORT = '8080';

/** `npm start`: serves a relay for development and says what to do next. */
async function main(): Promise<void> {
  const relay = await startDevelopmentRelay({});
  exitOnSignal(() => relay.stop());
  process.stdout.write(nextSteps(relay));
  process.stderr.write(openness(process.env['HOST']));
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** What others on the network get at, where it is not only this machine that does. */
function openness(host: string | undefined): string {
  if (host === undefined || host === '' || LOOPBACK.test(host)) return '';
  const metrics = process.env['RELAY_METRICS_PORT'] ? ' Whoever reaches its port can read the metrics.' : '';
  return `
Warning: HOST=${host} opens this development relay to the network, over plain HTTP: keys, admin tokens and handoffs can be read and
changed on the way. Open are POST /a2a and every REST route for whoever has a key, /admin for whoever has the admin token, and
redeeming invites, /join, agent cards and the probes for everybody.${metrics} For a team see docs/deploy.md.
`;
}

function nextSteps({ url, demoAgents }: DevelopmentRelay): string {
  if (demoAgents.length === 0) {
    return `\nAgentRelay is serving at ${url}\n\nIts agents were registered elsewhere; POST ${url}/admin/agents registers more.\n`;
  }
  const [bob, frank] = demoAgents;
  return `
AgentRelay is serving at ${url}

Two demo agents are registered: ${demoAgents.map(({ handle }) => handle).join(' and ')} (keys in .agentrelay/demo, readable by you only).

See a whole handoff between them, in another terminal:

  npm run demo

Give one to Claude Code:

${indented(bob, claudeLine)}

and the other to Codex:

${indented(frank, codexLine)}

Then ask the first: "Hand frank@acme a summary of what we did today."
Stop with Ctrl-C; everything is kept for the next start.
`;
}

const MCP_SERVER = join(CHECKOUT, 'dist/apps/mcp-server/src/main.js');

function claudeLine({ home }: DemoAgent): string {
  return `claude mcp add agentrelay --scope user --env AGENTRELAY_HOME=${quoted(home)} -- node ${quoted(MCP_SERVER)}`;
}

function codexLine({ home }: DemoAgent): string {
  return `codex mcp add agentrelay --env AGENTRELAY_HOME=${quoted(home)} -- node ${quoted(MCP_SERVER)}`;
}

function quoted(text: string): string {
  return /^[\w/.@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function indented(agent: DemoAgent | undefined, line: (agent: DemoAgent) => string): string {
  return agent === undefined ? '' : `  ${line(agent)}`;
}

function fail(error: unknown): never {
  const { code, message } = error as NodeJS.ErrnoException;
  const port = process.env['PORT'] ?? DEFAULT_PORT;
  process.stderr.write(
    code === 'EADDRINUSE'
      ? `Port ${port} is taken: another relay of yours may be running. Stop it, or start on another port: PORT=8081 npm start\n`
      : `${message}\n`,
  );
  process.exit(1);
}

main().catch(fail);
