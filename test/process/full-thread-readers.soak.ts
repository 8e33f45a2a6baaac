import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  type ChildProgram,
  createDatabase,
  freePort,
  McpSession,
  registerAgent,
  TEST_ADMIN_TOKEN,
  type TestAgent,
  type TestDatabase,
  testSettings,
} from '@agentrelay/testing';
import { peakMiB } from '../attack/process-figures';
import { PROGRAM, Workstation } from '../cli/agentrelay';
import { startRelayProcess } from './relay-process';
import { type ExpectedSection, type Filled, fillThread, sectionsOf } from './thread-contents';

const THREAD_BYTES = Number(process.env['SOAK_THREAD_BYTES'] ?? 64 * 1024 * 1024);
const PEAK_MIB = 512;
const MESSAGE_BYTES = 256 * 1024;
/** What the text of a result may be: as it is set without a word, and at most. */
const CHARACTERS = 40_000;
const MOST_CHARACTERS = 100_000;
const FILLING_MS = 600_000;

/** Writes the most memory that a program has had resident, in MiB, when it ends. */
const PROBE = join(mkdtempSync(join(tmpdir(), 'agentrelay-probe-')), 'probe.js');
writeFileSync(
  PROBE,
  `const { appendFileSync, readFileSync } = require('node:fs');
process.on('exit', () => appendFileSync(process.env.PEAK_FILE,
  Number(/VmHWM:\\s+(\\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024 + '\\n'));`,
);

let database: TestDatabase;
let relay: ChildProgram;
let bob: TestAgent;
let frank: TestAgent;
let thread: Filled;
let sections: ExpectedSection[];

beforeAll(async () => {
  database = await createDatabase(`agentrelay_readers_${process.env['JEST_WORKER_ID'] ?? '0'}`, 'migrated');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const limits = { RELAY_LIMIT_THREAD_BYTES: String(THREAD_BYTES) };
  relay = await startRelayProcess({ ...testSettings(database.url), ...limits, PORT: String(port) }, url);
  bob = await registerAgent(url, TEST_ADMIN_TOKEN, 'bob@acme');
  frank = await registerAgent(url, TEST_ADMIN_TOKEN, 'frank@acme');
  thread = await fillThread(bob, frank);
  expect(thread.refusal.data).toMatchObject({ code: 'invalid_params', details: { limit_bytes: THREAD_BYTES } });
  // No room is left for one more artifact.
  const bytes = thread.sent.reduce((sum, { artifacts }) => sum + Buffer.byteLength(JSON.stringify(artifacts)), 0);
  expect(bytes).toBeGreaterThan(THREAD_BYTES - 1.1 * 1024 * 1024);
  sections = thread.sent.flatMap(sectionsOf);
}, FILLING_MS);

afterAll(async () => {
  relay.kill('SIGTERM');
  await relay.exit();
  await database.close();
});

/** Starts a server for frank, and ends it whatever becomes of `work`. */
async function withSession(characters: number, work: (session: McpSession) => Promise<void>): Promise<void> {
  const session = await McpSession.start({
    AGENTRELAY_URL: frank.url,
    AGENTRELAY_API_KEY: frank.apiKey,
    AGENTRELAY_RESULT_CHARS: String(characters),
  });
  try {
    await work(session);
  } finally {
    await session.stop();
  }
}

function tell(figures: string): void {
  process.stderr.write(`${figures}\n`);
}

interface Position {
  /** Which of all sections of the thread. */
  section: number;
  offset: number;
}

function positionOf(place: string): Position {
  const [message, section, offset] = place.slice(1).split('.').map(Number) as [number, number, number];
  return { section: sections.findIndex((expected) => expected.message === message) + section, offset };
}

const LABEL = /^(message \d+(?:,| \().*?)(?:, continued from character (\d+))?(?: \(your own words\))?:$/;

/**
 * Looks at the text of one part: it shows the content from `place` on and up to `next`, every character once and in order, or to
 * the end of the thread where `next` is undefined.
 */
function expectPart(part: string, place: string, next: string | undefined): void {
  let { section, offset } = positionOf(place);
  const lines = part.split('\n');
  let shown = 0;
  for (let line = 0; line < lines.length;) {
    const [, label, from = '0'] = LABEL.exec(lines[line++] ?? '') ?? [];
    if (label === undefined) continue;
    if (shown++ > 0) {
      // The one before was shown to its end, or the part would have ended with it.
      expect([label, offset]).toEqual([label, sections[section]?.content.length]);
      section++;
      offset = 0;
    }
    const expected = sections[section];
    expect([label.slice(0, expected?.label.length), Number(from)]).toEqual([expected?.label, offset]);
    const marked: string[] = [];
    for (; lines[line]?.startsWith('| '); line++) marked.push((lines[line] ?? '').slice(2));
    const content = marked.join('\n');
    expect([label, offset, expected?.content.startsWith(content, offset)]).toEqual([label, offset, true]);
    offset += content.length;
  }
  expect(shown).toBeGreaterThan(0);
  const reached = sections[section]?.content ?? '';
  if (next === undefined) {
    expect([section, offset]).toEqual([sections.length - 1, reached.length]);
    return;
  }
  const goesOn = positionOf(next);
  if (goesOn.section === section + 1) expect([offset, goesOn.offset]).toEqual([reached.length, 0]);
  else {
    // The line break that a part is cut at is shown by neither.
    const isAtBreak = goesOn.offset === offset + 1 && reached.charAt(offset) === '\n';
    expect(goesOn).toEqual({ section, offset: isAtBreak ? offset + 1 : offset });
  }
}

function bytesOf(result: object): number {
  return Buffer.byteLength(JSON.stringify({ jsonrpc: '2.0', id: 1_000_000, result }));
}

/** Calls a tool, looks at the size and the content of what it answers, and tells where to read on. */
async function readPart(
  session: McpSession,
  tool: string,
  characters: number,
  place?: string,
): Promise<string | undefined> {
  const args = { thread_id: thread.id, ...(place !== undefined && { from: place }) };
  const result = await session.client.callTool({ name: tool, arguments: args });
  const [{ text } = { text: '' }] = result.content as { text: string }[];
  expect([place, result.isError ?? false, result.isError === true ? text : '']).toEqual([place, false, '']);
  expect(bytesOf(result)).toBeLessThanOrEqual(MESSAGE_BYTES);
  expect(text.length).toBeLessThanOrEqual(characters);
  const structured = result.structuredContent as { text: string; next_from?: string };
  expect(structured.text === text).toBe(true);
  expectPart(text, place ?? 'm1.0.0', structured.next_from);
  return structured.next_from;
}

/** Reads a part as a resource, in the same way. */
async function readResource(session: McpSession, place?: string): Promise<string | undefined> {
  const uri = `agentrelay://threads/${thread.id}`;
  const result = await session.client.readResource({ uri: place === undefined ? uri : `${uri}/from/${place}` });
  const [{ text } = { text: '' }] = result.contents as { text: string }[];
  expect(bytesOf(result)).toBeLessThanOrEqual(MESSAGE_BYTES);
  expect(text.length).toBeLessThanOrEqual(CHARACTERS);
  const next = /^To read on: (\S+)$/m.exec(text)?.[1];
  if (next !== undefined) expect(next.startsWith(`${uri}/from/`)).toBe(true);
  const nextPlace = next?.slice(`${uri}/from/`.length);
  expectPart(text, place ?? 'm1.0.0', nextPlace);
  return nextPlace;
}

/** The places where so many messages begin, from the first to the last, at equal distances. */
function beginnings(count: number): string[] {
  const last = thread.sent.length - 1;
  return Array.from({ length: count }, (_, n) => `m${Math.round(1 + (n * last) / (count - 1))}.0.0`);
}

async function unread(): Promise<number> {
  const { unread_messages } = await frank.get(thread.id, { mark_read: false, history_length: 0 });
  return unread_messages;
}

describe(`a thread of ${THREAD_BYTES} bytes`, () => {
  it('is accepted with its first part, and any place of it is viewed within the usual budget', async () => {
    await withSession(CHARACTERS, async (session) => {
      let next = await readPart(session, 'accept_handoff', CHARACTERS);
      for (const place of [next, ...beginnings(8)]) {
        next = place;
        for (let parts = 0; parts < 3 && next !== undefined; parts++)
          next = await readPart(session, 'view_thread', CHARACTERS, next);
      }
      expect(peakMiB(session.pid ?? 0)).toBeLessThan(PEAK_MIB);
    });
  });

  it('is viewed to its end in parts, each character once and in order, and counts as read only then', async () => {
    await withSession(MOST_CHARACTERS, async (session) => {
      const theirs = thread.sent.filter(({ from }) => from === bob.handle).length;
      const before = await unread();
      expect(before).toBe(theirs);
      let parts = 1;
      let next = await readPart(session, 'view_thread', MOST_CHARACTERS);
      for (; next !== undefined; parts++) {
        if (parts % 50 === 1) expect(await unread()).toBe(theirs);
        next = await readPart(session, 'view_thread', MOST_CHARACTERS, next);
      }
      expect(await unread()).toBe(0);
      await expect(session.call('check_inbox')).resolves.toMatchObject({ isError: false });
      const peak = peakMiB(session.pid ?? 0);
      tell(`view_thread: ${thread.sent.length} messages in ${parts} parts, ${peak.toFixed(0)} MiB`);
      expect(peak).toBeLessThan(PEAK_MIB);
    });
  });

  it('is read as resources at its start, at places in it, and to its end', async () => {
    await withSession(CHARACTERS, async (session) => {
      for (const place of [undefined, ...beginnings(8)])
        for (let next = place, parts = 0; parts < 3 && (parts === 0 || next !== undefined); parts++)
          next = await readResource(session, next);
      for (let next = beginnings(2).at(-1); next !== undefined;) next = await readResource(session, next);
      await expect(session.call('list_teammates')).resolves.toMatchObject({ isError: false });
      expect(peakMiB(session.pid ?? 0)).toBeLessThan(PEAK_MIB);
    });
  });

  it('is shown whole to a person, each character once and in order', async () => {
    const { output, peak } = await show([]);
    let at = output.indexOf('\n── ') + 1;
    for (const { number, from } of thread.sent) {
      at = expectAt(output, at, `── ${from}\n`, number);
      for (const { label, content } of sections.filter(({ message }) => message === number)) {
        expectAt(output, at, label, number);
        at = expectAt(output, output.indexOf('\n', at), `\n│ ${content.replaceAll('\n', '\n│ ')}\n`, number);
      }
    }
    expect(output.slice(at)).toMatch(/^(Take it on|Reply): agentrelay \S+ \S+.*\n$/);
    tell(`show: ${output.length} characters, ${peak.toFixed(0)} MiB`);
    expect(peak).toBeLessThan(PEAK_MIB);
  });

  it('is printed as one JSON document with every message as it was sent', async () => {
    const { output, peak } = await show(['--json']);
    const { messages } = JSON.parse(output) as { messages: Record<string, unknown>[] };
    expect(messages.map(({ sequence_no }) => sequence_no)).toEqual(thread.sent.map(({ number }) => number));
    for (const [index, { number, from, body, artifacts }] of thread.sent.entries()) {
      const message = messages[index] ?? {};
      expect([message['from'], message['body']]).toEqual([from, body]);
      const isSame = JSON.stringify(message['artifacts']) === JSON.stringify(artifacts);
      expect([number, isSame]).toEqual([number, true]);
    }
    tell(`show --json: ${output.length} characters, ${peak.toFixed(0)} MiB`);
    expect(peak).toBeLessThan(PEAK_MIB);
  });
});

/** Where `expected` ends in `output`, in which it must stand at `at`. */
function expectAt(output: string, at: number, expected: string, message: number): number {
  const found = output.startsWith(expected, at) ? expected.slice(0, 40) : output.slice(at, at + 40);
  expect([message, found]).toEqual([message, expected.slice(0, 40)]);
  expect([message, output.startsWith(expected, at)]).toEqual([message, true]);
  return at + expected.length;
}

/** Runs `agentrelay show` as frank, whose output goes through a pipe, and measures the memory of the program. */
async function show(options: readonly string[]): Promise<{ output: string; peak: number }> {
  const workstation = Workstation.of(frank);
  const [file, peaks] = [workstation.path('output'), workstation.path('peaks')];
  const child = spawn(process.execPath, [PROGRAM, 'show', thread.id, ...options], {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: workstation.userHome,
      NODE_OPTIONS: `--require=${PROBE}`,
      PEAK_FILE: peaks,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [[code]] = await Promise.all([
    once(child, 'close') as Promise<[number | null]>,
    pipeline(child.stdout, createWriteStream(file)),
  ]);
  expect(code).toBe(0);
  return { output: readFileSync(file, 'utf8'), peak: Math.max(...readFileSync(peaks, 'utf8').trim().split('\n').map(Number)) }; // prettier-ignore
}
