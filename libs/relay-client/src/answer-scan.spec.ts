import { parseAnswer } from './bounded-body';

const VALUES = 90_000;

function message(sequence_no: number, filling: unknown = 0): object {
  return { sequence_no, body: 'a "quoted\\" [{,', artifacts: [Array.from({ length: VALUES }, () => filling)] };
}

function answer(messages: unknown, others: object = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, result: { metadata: {}, messages, version: 7, ...others } });
}

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe('the text of an answer', () => {
  it('is parsed as it is when it holds few values', () => {
    const text = answer([message(1), message(2)]);
    expect(JSON.stringify(parseAnswer(text)) === text).toBe(true);
  });

  it('of a thread with very many values ends after some messages and says where it goes on', () => {
    const messages = numbers(1, 12).map((n) => message(n));
    for (const text of [answer(messages), JSON.stringify(JSON.parse(answer(messages)), null, 1)]) {
      const { result } = parseAnswer(text) as { result: Record<string, unknown> };
      expect(Object.keys(result)).toEqual(['metadata', 'messages', 'version', 'next_after_sequence_no']);
      expect(result['next_after_sequence_no']).toBe(5);
      expect(JSON.stringify(result['messages']) === JSON.stringify(messages.slice(0, 5))).toBe(true);
    }
  });

  it('of an accepted thread ends in the same way, and the relay’s own place is replaced', () => {
    const thread = { messages: numbers(31, 42).map((n) => message(n)), next_after_sequence_no: 42, version: 3 };
    const text = JSON.stringify({ result: { thread, version: 3 }, id: 1 });
    const { result } = parseAnswer(text) as { result: { thread: { messages: object[] }; version: number } };
    const wanted = { messages: thread.messages.slice(0, 5), next_after_sequence_no: 35, version: 3 };
    expect(JSON.stringify(result) === JSON.stringify({ thread: wanted, version: 3 })).toBe(true);
  });

  it('is refused when the values stand anywhere else, where nothing says how to read on', () => {
    const many = numbers(1, 12).map((n) => message(n));
    expect(parseAnswer(answer([], { others: many }))).toBeUndefined();
    expect(parseAnswer(answer([], { metadata: { messages: many } }))).toBeUndefined();
    expect(parseAnswer(JSON.stringify(many))).toBeUndefined();
    expect(parseAnswer(JSON.stringify([{ result: { messages: many } }]))).toBeUndefined();
  });

  it('is refused when one message holds more than an answer may, or when it is nested deeper', () => {
    const huge = { sequence_no: 1, artifacts: Array.from({ length: 1_000_001 }, () => 0) };
    expect(parseAnswer(answer([huge]))).toBeUndefined();
    expect(parseAnswer(`${'['.repeat(128)}${']'.repeat(128)}`)).toBeDefined();
    expect(parseAnswer(`${'['.repeat(129)}${']'.repeat(129)}`)).toBeUndefined();
  });

  it('is refused when it ends before its messages do', () => {
    expect(parseAnswer(answer(numbers(1, 12).map((n) => message(n))).slice(0, -20))).toBeUndefined();
  });

  it.each(['{"result":{"messages":[', '{"result":{"messages":}', '"', ']', ''])('%j is none', (text) => {
    expect(parseAnswer(text)).toBeUndefined();
  });
});
