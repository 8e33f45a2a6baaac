import { checkClients } from './clients-check';
import { checkConfig, checkTrust } from './config-check';
import type { Finding } from './findings';
import { checkRelay } from './relay-check';
import { checkServer } from './server-check';

/** Every check, in the order in which one thing needs the other. */
export async function diagnose(): Promise<Finding[]> {
  const { finding, connection } = checkConfig();
  const [relay, clients, server] = await Promise.all([
    connection === undefined ? [] : checkRelay(connection),
    checkClients(),
    checkServer(),
  ]);
  return [finding, ...relay, checkTrust(), ...clients, server];
}

export { mend } from './repair';
