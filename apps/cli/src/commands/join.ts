import { visibleLine } from '@agentrelay/untrusted-text';
import { connectClients } from '../connect-clients';
import { changeLines } from '../connected-lines';
import { connect, makeRoomForKey } from '../connecting';
import { CLIENT_CHOICE, type ClientName, clientsFound, surroundings } from '../installers';
import { inviteOf } from '../invite-link';
import { diagnose } from '../doctor';
import { findingLines, wireFinding } from '../doctor/findings';
import { newcomers } from '../admin-client';
import type { Output } from '../output';
import { confirm, stopAsking } from '../prompts';

interface Options {
  name?: string;
  client?: ClientName[];
  force?: boolean;
  insecure?: boolean;
  rules: boolean;
}

/** Turns an invite into a connected workstation, and checks it. */
export async function run(out: Output, link: string, options: Options): Promise<number> {
  const { name, client, force = false, insecure = false, rules } = options;
  const { url, jti, token, inviter } = inviteOf(link, insecure);
  await makeRoomForKey(undefined, url, force);
  const agent = await newcomers.redeem(url, { jti, token }, name);
  const { agent_handle, agent_id, relay_url } = connect(url, agent);
  const clients = client ?? (await clientsToConnect(agent_handle));
  stopAsking();
  const trouble = connectThem(out, clients, rules);
  const findings = await diagnose();
  const isWell = trouble === undefined && findings.every(({ state }) => state !== 'failed');
  const joined = {
    handle: agent_handle,
    agent_id,
    relay_url,
    invited_by: inviter,
    clients,
    ok: isWell,
    ...(trouble !== undefined && { trouble }),
  };
  out.result({ ...joined, checks: findings.map(wireFinding) }, [
    `You are ${out.paint('bold', agent_handle)} at ${relay_url}, invited by ${inviter}.`,
    ...findingLines(out, findings),
    nextStep(clients, trouble),
  ]);
  return isWell ? 0 : 1;
}

/** The workstation has joined, whatever a client's file looks like: what is wrong with it is told, not thrown. */
function connectThem(out: Output, names: ClientName[], rules: boolean): string | undefined {
  if (names.length === 0) return undefined;
  const where = surroundings();
  try {
    const { trouble } = connectClients({
      names,
      where,
      dryRun: false,
      uninstall: false,
      rules,
      force: false,
      announce: (planned) => out.progress(planned.flatMap((one) => changeLines(out, one))),
    });
    return trouble?.message;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function nextStep(clients: ClientName[], trouble: string | undefined): string {
  if (trouble !== undefined)
    return visibleLine(`Your coding agent is not connected: ${trouble} Then: agentrelay install`);
  return clients.length > 0
    ? 'Restart your coding agent, then ask it to check its inbox.'
    : `Connect your coding agent: agentrelay install --client ${CLIENT_CHOICE}`;
}

/** Asks, where somebody is there to be asked. */
async function clientsToConnect(handle: string): Promise<ClientName[]> {
  const found = clientsFound(surroundings());
  if (found.length === 0 || !process.stdin.isTTY) return [];
  const titles = found.map(({ title }) => title).join(', ');
  const wanted = await confirm(`You have joined as ${handle}. Connect ${titles} now?`);
  return wanted ? found.map((client) => client.name) : [];
}
