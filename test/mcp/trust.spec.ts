import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { McpSession, type TestAgent, text, useRelay } from '@agentrelay/testing';

const relay = useRelay();

const PROPOSAL = {
  intent: 'propose_action',
  proposed_action: { description: 'Rename', target_files: ['docs/a.md'], rationale: 'Clearer' },
};

describe('what the user’s trust.yaml says', () => {
  let home: string;
  let bob: TestAgent;
  let frank: TestAgent;
  let session: McpSession;

  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'agentrelay-home-'));
    bob = await relay.agent('bob@acme');
    frank = await relay.agent('frank@acme');
    session = await McpSession.start({
      AGENTRELAY_HOME: home,
      AGENTRELAY_URL: frank.url,
      AGENTRELAY_API_KEY: frank.apiKey,
    });
  });

  afterEach(() => session.stop());

  function trust(yaml: string): void {
    writeFileSync(join(home, 'trust.yaml'), yaml, { mode: 0o600 });
  }

  it('nothing: handoffs are shown with who sent them, and the user decides', async () => {
    const { task_id } = await bob.send('frank@acme');
    const inbox = await session.call('check_inbox');
    expect(inbox.structured).toMatchObject({ text: inbox.text, items: [{ trust: 'ask' }] });
    expect(inbox.text).toContain('Your user decides');
    expect(inbox.text).toContain('| Please have a look.');
    const overlay = {
      teammate: 'bob@acme',
      known: false,
      policy: 'ask',
      auto_read: false,
      auto_test: false,
      auto_write_paths: [],
      require_approval: [],
      user_must_decide: true,
      user_must_approve: false,
    };
    for (const tool of ['view_thread', 'accept_handoff']) {
      const shown = await session.call(tool, { thread_id: task_id });
      expect(shown.structured['trust_overlay']).toEqual(overlay);
      expect(shown.structured['text']).toBe(shown.text);
      expect(shown.text).toContain('The sender is bob@acme; trust.yaml does not name them. Show it to your user');
      expect(shown.text).toContain('| Please have a look.');
    }
  });

  it('of a known teammate is read again for every call', async () => {
    const { task_id } = await bob.send('frank@acme', PROPOSAL);
    trust('teammates: {bob@acme: {auto_read: true, auto_test: true, auto_write_paths: [docs]}}');
    const trusted = await session.call('view_thread', { thread_id: task_id });
    expect(trusted.structured['trust_overlay']).toMatchObject({ user_must_decide: false, user_must_approve: false });
    expect(trusted.text).toContain("trust.yaml lets you change for bob@acme (docs). Get your user's approval");
    expect((await session.call('check_inbox')).structured).toMatchObject({ items: [{ trust: 'open' }] });
    trust('teammates: {bob@acme: {auto_read: true, auto_write_paths: [docs], require_approval: [docs/a.md]}}');
    const asked = await session.call('accept_handoff', { thread_id: task_id });
    expect(asked.structured['trust_overlay']).toMatchObject({ user_must_approve: true });
    expect(asked.text).toContain('get their approval before any file is modified');
  });

  it('cannot switch the approval of a proposed action off for the unknown', async () => {
    trust(
      'defaults: {auto_read: true, auto_write_paths: [docs]}\nunknown_teammates: {policy: allow_with_default_trust}',
    );
    const { task_id } = await bob.send('frank@acme', PROPOSAL);
    const accepted = await session.call('accept_handoff', { thread_id: task_id });
    expect(accepted.structured['trust_overlay']).toMatchObject({
      known: false,
      auto_read: true,
      user_must_decide: false,
      user_must_approve: true,
    });
    expect(accepted.text).toContain('get their approval before any file is modified');
  });

  it.each([
    ['unknown_teammates: {policy: reject}', 'rejects handoffs', '`agentrelay trust set bob@acme`'],
    ['blocked: [bob@acme]', 'trust.yaml blocks bob@acme', '`agentrelay unblock bob@acme`'],
  ])('%s: nothing of it is shown, the reason and the remedy are, and nothing is lost', async (yaml, reason, remedy) => {
    trust(yaml);
    const { task_id } = await bob.send('frank@acme', { message: text('MARKER') });
    const inbox = await session.call('check_inbox');
    expect(inbox.structured).toMatchObject({ items: [{ thread_id: task_id, trust: 'withheld' }] });
    for (const tool of ['accept_handoff', 'view_thread']) {
      const kept = await session.call(tool, { thread_id: task_id });
      expect(kept.isError).toBe(true);
      expect(kept.text.includes('Nothing was stored.')).toBe(tool === 'accept_handoff');
      for (const words of [reason, remedy]) expect(`${kept.text}${inbox.text}`.split(words)).toHaveLength(3);
      expect(JSON.stringify([kept, inbox])).not.toContain('MARKER');
    }
    expect((await frank.get(task_id, { mark_read: false })).status.state).toBe('pending');
    trust('teammates: {bob@acme: {}}');
    const later = await session.call('accept_handoff', { thread_id: task_id });
    expect(later.text).toContain('| MARKER');
    expect(later.structured).toMatchObject({ status: 'accepted', accepted: true });
  });

  it('does not keep back the answer of somebody to whom the user sent work, unless they are blocked', async () => {
    trust('unknown_teammates: {policy: reject}');
    const { task_id } = await frank.send('bob@acme');
    await bob.append(task_id, 'MARKER');
    expect((await session.call('view_thread', { thread_id: task_id })).text).toContain('| MARKER');
    trust('blocked: [bob@acme]');
    expect((await session.call('view_thread', { thread_id: task_id })).text).not.toContain('MARKER');
    const inbox = await session.call('check_inbox', { role: 'sender' });
    expect(inbox.structured).toMatchObject({ items: [{ trust: 'withheld' }] });
  });

  it('and cannot be read, is told with its place by each tool that needs it; the others work', async () => {
    const { task_id } = await bob.send('frank@acme');
    trust('teammates:\n  bob@acme:\n    auto_read: maybe\n');
    for (const [tool, args] of [
      ['check_inbox', {}],
      ['view_thread', { thread_id: task_id }],
      ['accept_handoff', { thread_id: task_id }],
    ] as const) {
      const { isError, text: told } = await session.call(tool, args);
      expect(isError).toBe(true);
      expect(told).toContain(
        `${join(home, 'trust.yaml')}, line 3, column 16: auto_read of bob@acme must be true or false.`,
      );
    }
    expect((await frank.get(task_id)).status.state).toBe('pending');
    expect((await session.call('list_teammates')).isError).toBe(false);
  });

  it('and what was asked of the server stand apart: each call is in the ledger, without its words', async () => {
    const sent = await session.call('handoff_to_teammate', { to: 'bob@acme', intent: 'inform', summary: 'MARKER' });
    await session.call('handoff_to_teammate', { to: 'nobody@acme', intent: 'inform', summary: 'MARKER' });
    await session.call('check_inbox');
    const path = join(home, 'ledger.jsonl');
    const written = readFileSync(path, 'utf8');
    expect(written).not.toContain('MARKER');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const entries = written.trim().split('\n').map((line) => JSON.parse(line) as Record<string, string>); // prettier-ignore
    expect(entries.map(({ tool, result, thread_id }) => [tool, result, thread_id])).toEqual([
      ['handoff_to_teammate', 'ok', sent.structured['thread_id']],
      ['handoff_to_teammate', 'recipient_not_found', undefined],
      ['check_inbox', 'ok', undefined],
    ]);
    expect(new Set(entries.map(({ session_id }) => session_id)).size).toBe(1);
    for (const { arguments_digest } of entries) expect(arguments_digest).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('the digest of an inbox', () => {
  it('stays under 1,200 tokens for twenty handoffs with long summaries', async () => {
    const { bob, frank } = await relay.pair();
    for (let n = 0; n < 20; n++) {
      await bob.send('frank@acme', {
        message: text(`${n} ${'A long story. \n\u202e'.repeat(60)}`),
        intent: 'ask_question',
      });
    }
    const session = await McpSession.start({ AGENTRELAY_URL: frank.url, AGENTRELAY_API_KEY: frank.apiKey });
    const { text: digest, structured } = await session.call('check_inbox');
    await session.stop();
    expect(structured['items']).toHaveLength(20);
    expect(digest.match(/^\| \d+ A long story/gm)).toHaveLength(20);
    expect(digest.length / 4).toBeLessThan(1_200);
  });
});
