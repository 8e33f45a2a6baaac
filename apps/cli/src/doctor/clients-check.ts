import { isDeepStrictEqual } from 'node:util';
import { join, resolve } from 'node:path';
import { agentRelayHome, readConfigFile } from '@agentrelay/workstation';
import {
  type Client,
  type ClientAnswer,
  clientsFound,
  entryFault,
  entryOfThisProgram,
  type McpEntry,
  rulesState,
  type Surroundings,
  surroundings,
} from '../installers';
import { askClient } from './ask-client';
import { failed } from './config-check';
import type { Finding } from './findings';
import { toolsOf } from './server-check';

type Fault = Pick<Finding, 'state' | 'message' | 'next'>;

/** What each coding agent that is here would do when it is started in this folder. */
export async function checkClients(): Promise<Finding[]> {
  const where = surroundings();
  const found = clientsFound(where);
  if (found.length > 0) return (await Promise.all(found.map((client) => checkClient(client, where)))).flat();
  return [{ check: 'clients', state: 'warning', message: 'there is no coding agent that install knows' }];
}

async function checkClient(client: Client, where: Surroundings): Promise<Finding[]> {
  const check = `client ${client.name}`;
  const install = `agentrelay install --client ${client.name}`;
  try {
    const entry = client.entryIn(where);
    if (entry === undefined)
      return [{ check, state: 'warning', message: 'not connected', next: `Connect it: ${install}` }];
    const faults = [
      ...(await startFaults(entry, where, `Connect it anew: ${install} --force`)),
      ...homeFaults(entry, where, install),
      ...client.objections(where).map(({ breaks, message, next }) => fault(breaks, message, next)),
      ...answerFaults(client, entry, await askClient(client, where)),
    ];
    const started: Finding = { check, state: 'ok', message: `starts ${line(entry)}` };
    const findings = faults.length === 0 ? [started] : faults.map((one) => ({ check, ...one }));
    return [...findings, ...checkRules(client, entry, where, install)];
  } catch (error) {
    return [failed(check, error, undefined)];
  }
}

/** Whether what the entry names is there; and when it is not this program, whether it is an MCP server of ours. */
async function startFaults(entry: McpEntry, where: Surroundings, next: string): Promise<Fault[]> {
  const missing = entryFault(entry, where.environment['PATH']);
  if (missing !== undefined) return [fault(true, missing, next)];
  const { command, args } = entryOfThisProgram(agentRelayHome(process.env), where.userHome);
  if (isDeepStrictEqual([entry.command, entry.args], [command, args])) return [];
  try {
    const tools = await toolsOf(entry);
    return tools.includes('handoff_to_teammate') ? [] : [fault(true, `${line(entry)} has other tools than ours`, next)];
  } catch {
    return [fault(true, `${line(entry)} does not answer as an MCP server`, next)];
  }
}

/** An entry can name another folder with another agent's key. */
function homeFaults({ env }: McpEntry, { userHome }: Surroundings, install: string): Fault[] {
  const [here, there] = [agentRelayHome(process.env), env['AGENTRELAY_HOME'] ?? join(userHome, '.agentrelay')];
  if (resolve(here) === resolve(there)) return [];
  const next = `To use ${here}: ${install} --force`;
  try {
    const config = readConfigFile(there);
    if (config !== undefined)
      return [fault(false, `works as ${config.agent_handle}, with ${there}, not with ${here}`, next)];
  } catch {
    // The server cannot read it either.
  }
  return [fault(true, `works with ${there}, in which there is no connection`, next)];
}

function answerFaults(client: Client, entry: McpEntry, answer: ClientAnswer | 'unanswered' | undefined): Fault[] {
  if (answer === undefined) return [];
  const asked = [client.program, ...(client.question?.args ?? [])].join(' ');
  if (answer === 'unanswered') return [fault(false, `${asked} did not say what it would start`, `See: ${asked}`)];
  const started = answer.command === undefined ? undefined : [answer.command, answer.args].filter(Boolean).join(' ');
  const isOther = started !== undefined && started !== line(entry);
  return [
    ...(answer.fault === undefined ? [] : [fault(true, `${client.title} says: ${answer.fault}`, `See: ${asked}`)]),
    ...(isOther ? [fault(true, `in this folder ${client.title} starts ${started}`, `See: ${asked}`)] : []),
    ...(answer.note === undefined ? [] : [fault(false, answer.note, `See: ${asked}`)]),
  ];
}

/** Rules are the user's choice: without them nothing is wrong. */
function checkRules(client: Client, entry: McpEntry, where: Surroundings, install: string): Finding[] {
  const check = `rules ${client.name}`;
  const setup = { ...where, agentRelayHome: agentRelayHome(process.env), entry, rules: true, force: false };
  const state = rulesState(client, setup);
  if (state === 'none') return [];
  if (state === 'in') return [{ check, state: 'ok', message: 'are in' }];
  const message =
    state === 'missing'
      ? 'are not in, or not all of them: the client asks about everything, and denies nothing for us'
      : 'an earlier version’s are in, which outrank what you allow';
  return [{ check, state: 'warning', message, next: `Write them: ${install}` }];
}

function fault(breaks: boolean, message: string, next: string): Fault {
  return { state: breaks ? 'failed' : 'warning', message, next };
}

function line({ command, args }: McpEntry): string {
  return [command, ...args].join(' ');
}
