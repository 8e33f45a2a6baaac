import { plainHttpWarning, relayUrlFault } from '@agentrelay/protocol';
import { RelayClient, type RpcMethods } from '@agentrelay/relay-client';
import { agentRelayHome, connectionOf, readConfigFile } from '@agentrelay/workstation';
import * as answers from './answers';
import { CommandFailed } from './command-failed';
import { warn } from './warnings';

/** A command is not waited for as long as a tool call. */
const DEADLINE_MS = 20_000;

/** The folder of this workstation's files. */
export function home(): string {
  return agentRelayHome(process.env);
}

/** The relay, as this workstation's agent. @throws NotConfigured, WorkstationFileError */
export function openRelay(deadlineMs = DEADLINE_MS): CheckedRelay {
  const connection = connectionOf(process.env);
  warn(plainHttpWarning(connection.url));
  return new CheckedRelay(new RelayClient({ ...connection, deadlineMs }));
}

/** Which relay an administrator speaks to. @throws CommandFailed when nothing says, or it cannot be one */
export function relayUrl(given: string | undefined, insecure: boolean): string {
  const url = (given ?? (process.env['AGENTRELAY_URL']?.trim() || readConfigFile(home())?.relay_url))?.trim();
  if (url === undefined)
    throw new CommandFailed('It is not known which relay this is for.', 'Say so: --relay https://relay.acme.dev');
  const fault = relayUrlFault(url);
  if (fault !== undefined)
    throw new CommandFailed(`The address of the relay ${fault}.`, 'Give another: --relay https://relay.acme.dev');
  refusePlainHttp(url, insecure);
  return url.replace(/\/+$/, '');
}

/** Refuses an address to which secrets would travel in the clear; with `insecure` it is warned of. @throws CommandFailed */
export function refusePlainHttp(url: string, insecure: boolean): void {
  const warning = plainHttpWarning(url);
  if (warning === undefined) return;
  if (!insecure) throw new CommandFailed(`${warning} Nothing was sent.`, 'If that is meant: the same with --insecure');
  warn(warning);
}

/** What a relay answers, each answer checked before anything of it is used. */
export class CheckedRelay {
  constructor(readonly client: RelayClient) {}

  async whoAmI() {
    return answers.agent(await this.client.whoAmI(), 'the agent');
  }

  async list(params: Parameters<typeof this.client.read<'tasks/list'>>[1]) {
    return answers.listPage(await this.client.read('tasks/list', params), 'the list');
  }

  async thread(params: Parameters<typeof this.client.read<'tasks/get'>>[1]) {
    return answers.thread(await this.client.read('tasks/get', params), 'the thread');
  }

  async send(params: RpcMethods['message/send']['params'], key: string) {
    return answers.sent(await this.client.write('message/send', params, key), 'what was sent');
  }

  async append(params: RpcMethods['message/send']['params'], key: string) {
    return answers.appended(await this.client.write('message/send', params, key), 'the message');
  }

  async update(params: RpcMethods['tasks/update']['params'], key: string) {
    return answers.transition(await this.client.write('tasks/update', params, key), 'the thread');
  }

  async cancel(params: RpcMethods['tasks/cancel']['params'], key: string) {
    return answers.transition(await this.client.write('tasks/cancel', params, key), 'the thread');
  }

  async events(params: RpcMethods['events/list']['params'], waitMs: number) {
    return answers.events(await this.client.read('events/list', params, waitMs), 'the events');
  }

  async auditPage(filter: Parameters<RelayClient['auditPage']>[0]) {
    return answers.auditPage(await this.client.auditPage(filter), 'the audit');
  }

  async blocks() {
    return answers.blocks(await this.client.blocks(), 'the list of blocks');
  }

  async rotateKey(overlapSeconds: number, keepOthers: boolean) {
    return answers.issuedKey(await this.client.rotateKey(overlapSeconds, keepOthers), 'the key');
  }

  async keys() {
    return answers.keys(await this.client.keys(), 'the list of keys');
  }

  async endKey(keyId: string, keepDescendants: boolean) {
    return answers.endedKey(await this.client.endKey(keyId, keepDescendants), 'the key');
  }
}
