import { text, useRelay } from '@agentrelay/testing';

const relay = useRelay();

const VALID: object[] = [
  { type: 'file_diff', path: 'src/a.ts', diff: '@@ -1 +1 @@\n-a\n+b' },
  { type: 'file_diff', path: 'src/a.ts', diff: '' },
  { type: 'file_ref', path: 'openapi.yaml' },
  { type: 'file_ref', path: 'openapi.yaml', git_sha: 'abc123', lines: [0, 0] },
  { type: 'file_ref', path: 'openapi.yaml', lines: [3, 14] },
  { type: 'test_command', command: 'pytest tests/users/' },
  { type: 'test_command', command: 'pytest', cwd: 'services/api' },
  { type: 'api_contract' },
  { type: 'api_contract', schema_url: 'https://example.com/openapi.json' },
  { type: 'api_contract', inline: { openapi: '3.1.0', paths: {} } },
  { type: 'api_contract', inline: 'openapi: 3.1.0' },
  { type: 'api_contract', inline: null },
  { type: 'link', url: 'https://example.com/pull/42' },
  { type: 'link', url: 'vscode://file/a.ts', title: 'PR #42' },
  { type: 'link', url: 'https://example.com', note: 'kept', nested: { as: ['sent', 1, null] }, title: null },
];

const INVALID: [object | string | number | null, string][] = [
  ['file_ref', 'must be an object'],
  [null, 'must be an object'],
  [[], 'must be an object'],
  [{}, 'type must be one of file_diff, file_ref, test_command, api_contract, link'],
  [{ type: 'photo' }, 'type must be one of file_diff, file_ref, test_command, api_contract, link'],
  [{ type: 'toString' }, 'type must be one of file_diff, file_ref, test_command, api_contract, link'],
  [{ type: 'file_diff', path: 'a' }, 'diff is required'],
  [{ type: 'file_diff', path: 'a', diff: null }, 'diff is required'],
  [{ type: 'file_diff', diff: '' }, 'path is required'],
  [{ type: 'file_diff', path: '', diff: '' }, 'path must not be empty'],
  [{ type: 'file_diff', path: 7, diff: '' }, 'path must be a string'],
  [{ type: 'file_ref', path: '' }, 'path must not be empty'],
  [{ type: 'file_ref', path: 'a', git_sha: 7 }, 'git_sha must be a string'],
  ...[[1], [1, 2, 3], [2, 1], [-1, 2], [1.5, 2], ['1', '2'], '1-2', 5].map((lines): [object, string] => [
    { type: 'file_ref', path: 'a', lines },
    'lines must be [from, to]: two integers from 0 on, in order',
  ]),
  [{ type: 'test_command' }, 'command is required'],
  [{ type: 'test_command', command: '' }, 'command must not be empty'],
  [{ type: 'test_command', command: 'a', cwd: [] }, 'cwd must be a string'],
  [{ type: 'api_contract', schema_url: 'openapi.json' }, 'schema_url must be an absolute URL'],
  [{ type: 'api_contract', schema_url: '' }, 'schema_url must be an absolute URL'],
  [{ type: 'link' }, 'url is required'],
  [{ type: 'link', url: '/pull/42' }, 'url must be an absolute URL'],
  [{ type: 'link', url: 'https://' }, 'url must be an absolute URL'],
  [{ type: 'link', url: 'https://example.com', title: 7 }, 'title must be a string'],
];

describe('artifacts', () => {
  it('of every type come back as sent, unknown members included, on the thread, a message and a result', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank@acme', { artifacts: VALID });
    await frank.accept(id);
    await bob.append(id, 'more', { artifacts: [...VALID].reverse() });
    const completed = await frank.complete(id, { artifacts: VALID });
    const thread = await bob.get(id);
    expect(JSON.stringify(thread.artifacts)).toBe(JSON.stringify(VALID));
    expect(thread.messages.map((message) => JSON.stringify(message.artifacts))).toEqual(
      [VALID, [...VALID].reverse(), VALID].map((artifacts) => JSON.stringify(artifacts)),
    );
    expect(JSON.stringify(thread.completion_artifacts)).toBe(JSON.stringify(VALID));
    expect(JSON.stringify(completed.completion_artifacts)).toBe(JSON.stringify(VALID));
  });

  it('that are not what their type says are refused, naming entry and member', async () => {
    const { bob } = await relay.pair();
    for (const [artifact, fault] of INVALID) {
      const artifacts = [{ type: 'link', url: 'https://example.com' }, artifact];
      const refusal = await bob.refusal('message/send', { recipient: 'frank@acme', message: text('x'), artifacts });
      expect([artifact, refusal.symbol, refusal.message]).toEqual([
        artifact,
        'invalid_params',
        `artifacts entry 1: ${fault}.`,
      ]);
    }
    expect(await relay.database.query('SELECT id FROM handoffs')).toEqual([]);
  });

  it('are refused alike on a message and on a result', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank@acme');
    await frank.accept(id);
    const artifacts = [{ type: 'file_diff', path: 'a' }];
    const message = await bob.refusal('message/send', { task_id: id, message: text('x'), artifacts });
    const result = await frank.refusal('tasks/update', {
      task_id: id,
      transition: 'complete',
      result_summary: 'x',
      artifacts,
    });
    expect([message.message, result.message]).toEqual(
      Array.from({ length: 2 }, () => 'artifacts entry 0: diff is required.'),
    );
    expect((await bob.get(id)).status).toEqual({ state: 'accepted' });
  });
});
