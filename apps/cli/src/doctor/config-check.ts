import { join } from 'node:path';
import {
  agentRelayHome,
  type Connection,
  connectionOf,
  statFile,
  TrustFile,
  WorkstationFileError,
} from '@agentrelay/workstation';
import { wordsOf } from '../error-words';
import { unknownMembersLine } from '../trust-lines';
import type { Finding } from './findings';

const OTHERS = 0o077;

/** The connection that the environment and config.json give, and whether they may. */
export function checkConfig(): { finding: Finding; connection?: Connection } {
  const path = join(agentRelayHome(process.env), 'config.json');
  try {
    const connection = connectionOf(process.env);
    const isGiven = process.env['AGENTRELAY_URL'] && process.env['AGENTRELAY_API_KEY'];
    const where = isGiven ? 'AGENTRELAY_URL and AGENTRELAY_API_KEY are set' : `${path}, readable by you only`;
    return { finding: { check: 'config', state: 'ok', message: where }, connection };
  } catch (error) {
    return { finding: failed('config', error, isOpenToOthers(path) ? 'Or: agentrelay doctor --fix' : undefined) };
  }
}

/** Whether others may read the file; Windows has no such bits. */
export function isOpenToOthers(path: string): boolean {
  try {
    const stats = statFile(path);
    return process.platform !== 'win32' && stats !== undefined && (stats.mode & OTHERS) !== 0;
  } catch (error) {
    // Where the path leads nowhere there is no file; the check of the config says so.
    if (error instanceof WorkstationFileError) return false;
    throw error;
  }
}

export function checkTrust(): Finding {
  try {
    const trust = TrustFile.load(agentRelayHome(process.env));
    const unknown = trust.unknownMembers();
    if (unknown.length > 0) return { check: 'trust', state: 'warning', message: unknownMembersLine(unknown) };
    const [known, blocked] = [trust.teammates().length, trust.blocked().length];
    return { check: 'trust', state: 'ok', message: `${known} teammates named, ${blocked} blocked` };
  } catch (error) {
    return failed('trust', error, undefined);
  }
}

export function failed(check: string, error: unknown, next: string | undefined): Finding {
  return { check, state: 'failed', message: wordsOf(error), ...(next !== undefined && { next }) };
}
