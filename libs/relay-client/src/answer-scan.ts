/** Deeper than any answer: what teammates send is nested at most 32 deep. */
const MAX_NESTING = 128;

/** Each value takes memory, be it written in two bytes. */
const MAX_VALUES = 1_000_000;

/**
 * After so many values a part of a thread ends behind its message. An answer of 8 MiB may hold four million values, of which a
 * message, the handoff's artifacts and those of its result hold at most 100,000 each: what is kept stays below the bound.
 */
const VALUES_OF_A_PART = 400_000;

/** Where the messages of a thread stand in an answer: the names of the members that lead there. */
const LISTS_OF_MESSAGES: readonly string[] = ['result/messages', 'result/thread/messages'];
const DEEPEST_LIST = 4;

/** The messages of an answer that are left for the next part: text between two places, and which thread loses it. */
export interface Surplus {
  from: number;
  to: number;
  list: string;
}

/**
 * Looks at the text of an answer before it is parsed. Undefined when parsing, or walking what was parsed, would take more stack or
 * memory than an answer may; else the messages that are to be left out, so that the rest does not.
 */
export function scanAnswer(text: string): { surplus: Surplus | undefined } | undefined {
  return new AnswerScan(text).run();
}

class AnswerScan {
  private depth = 0;
  private values = 0;
  /** The member whose value comes next, and the members that led to where the scan is. */
  private member = '';
  private readonly path: string[] = [];
  private list: { depth: number; name: string; cutAt?: number; isOver?: boolean } | undefined;
  private surplus: Surplus | undefined;

  constructor(private readonly text: string) {}

  run(): { surplus: Surplus | undefined } | undefined {
    const { text } = this;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === 0x22) at = this.string(at);
      else if (unit === 0x5b || unit === 0x7b) this.open();
      else if (unit === 0x5d || unit === 0x7d) this.close(at);
      else if (unit === 0x2c) this.comma(at);
      if (this.depth > MAX_NESTING || this.values > MAX_VALUES) return undefined;
    }
    // Without its end it is no JSON, which parsing would find out late.
    const isCutOff = this.list?.cutAt !== undefined && this.surplus === undefined;
    return isCutOff ? undefined : { surplus: this.surplus };
  }

  private string(start: number): number {
    const end = endOfString(this.text, start);
    if (this.depth < DEEPEST_LIST) this.member = this.text.slice(start + 1, Math.min(end, start + 20));
    return end;
  }

  private open(): void {
    if (this.depth < DEEPEST_LIST) this.path[this.depth] = this.member;
    this.member = '';
    this.depth++;
    this.count();
    if (this.depth > DEEPEST_LIST || this.list !== undefined) return;
    const name = this.path.slice(1, this.depth).join('/');
    if (LISTS_OF_MESSAGES.includes(name)) this.list = { depth: this.depth, name };
  }

  private close(at: number): void {
    const { list } = this;
    if (list !== undefined && !list.isOver && list.depth === this.depth) {
      if (list.cutAt !== undefined) this.surplus = { from: list.cutAt, to: at, list: list.name };
      list.isOver = true;
    }
    this.depth--;
  }

  private comma(at: number): void {
    this.member = '';
    const { list } = this;
    const endsMessage = list !== undefined && !list.isOver && list.depth === this.depth;
    if (endsMessage && this.values > VALUES_OF_A_PART) list.cutAt ??= at;
    this.count();
  }

  /** What is left out is not parsed. */
  private count(): void {
    const isLeftOut = this.list?.cutAt !== undefined && !this.list.isOver;
    if (!isLeftOut) this.values++;
  }
}

function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === 0x5c) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}
