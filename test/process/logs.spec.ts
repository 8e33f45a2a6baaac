import { freePort, testSettings, text, useRelay } from '@agentrelay/testing';
import { startRelayProcess } from './relay-process';

const relay = useRelay();

describe('the log', () => {
  it('is one JSON object a line, knows requests by their id, and tells neither texts nor secrets nor queries', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const settings: Record<string, string> = {
      ...testSettings(relay.database.url),
      PORT: String(port),
      LOG_LEVEL: 'trace',
    };
    const { bob } = await relay.pair();
    const program = await startRelayProcess(settings, url);
    const there = bob.at(url);
    await there.call(
      'message/send',
      { recipient: 'frank@acme', message: text('THE PLAN') },
      { 'x-request-id': 'r-ok' },
    );
    await there.rpc('message/send', { recipient: 'THE PLAN' }, { 'x-request-id': 'r-bad' });
    await there.rest('GET', '/agents?role=THE-QUERY');

    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'agents/list' },
      { jsonrpc: '2.0', id: 2, method: 'THE PLAN' },
    ];
    await there.post(JSON.stringify(batch), { 'x-request-id': 'r-batch' });
    await there.withKey('ar_test_WRONG-KEY').rpc('agents/list', {}, { 'x-request-id': 'r-wrong' });
    await fetch(`${url}/admin/agents`, {
      headers: { authorization: `Bearer ${settings['RELAY_ADMIN_TOKEN']}`, 'x-request-id': 'r-admin' },
    });

    // A broken table makes an internal error: the one place where what went wrong is told.
    await relay.database.query('ALTER TABLE messages RENAME TO messages_away');
    const failed = await there.rpc(
      'message/send',
      { recipient: 'frank@acme', message: text('THE PLAN') },
      { 'x-request-id': 'r-500' },
    );
    await relay.database.query('ALTER TABLE messages_away RENAME TO messages');
    expect(failed.status).toBe(500);

    program.kill('SIGTERM');
    expect(await program.exit()).toBe(0);
    const lines = program.printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const id of ['r-ok', 'r-bad', 'r-500']) expect(lines.some(({ reqId }) => reqId === id)).toBe(true);
    const [failure] = lines.filter(({ reqId, err }) => reqId === 'r-500' && err !== undefined);
    expect((failure?.['err'] as { message: string }).message).toContain('messages');
    const [key] = await relay.database.query<{ id: string }>('SELECT id FROM api_keys WHERE agent_id = $1', [
      bob.agentId,
    ]);
    const caller = { client: '127.0.0.1', agent_id: bob.agentId, key_id: key!.id, principal: 'agent' };
    const line = (id: string) => lines.find(({ reqId, res }) => reqId === id && res !== undefined);
    expect(line('r-ok')).toMatchObject({ ...caller, rpc_method: 'message/send', res: { statusCode: 200 } });
    expect(line('r-bad')).toMatchObject({ ...caller, rpc_method: 'message/send', res: { statusCode: 400 } });
    expect(line('r-batch')).toMatchObject({ ...caller, rpc_method: 'agents/list,unknown' });
    expect(line('r-wrong')).toMatchObject({ client: '127.0.0.1', res: { statusCode: 401 } });
    expect(line('r-wrong')).not.toHaveProperty('agent_id');
    expect(line('r-admin')).toMatchObject({ client: '127.0.0.1', administrator: 'admin' });
    for (const secret of ['THE PLAN', 'WRONG-KEY', 'THE-QUERY', bob.apiKey, settings['RELAY_ADMIN_TOKEN']!]) {
      expect(program.printed).not.toContain(secret);
    }
  });
});
