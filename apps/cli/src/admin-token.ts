import { askSecret } from './prompts';

/** The administrator's token, from the environment or typed; never from an argument, which other programs can see. */
export async function adminToken(): Promise<string> {
  const given = process.env['AGENTRELAY_ADMIN_TOKEN'] || process.env['RELAY_ADMIN_TOKEN'];
  return given || askSecret('Admin token', 'Type it when asked, or set RELAY_ADMIN_TOKEN.');
}
