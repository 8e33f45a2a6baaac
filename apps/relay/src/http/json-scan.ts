import { isUtf8 } from 'node:buffer';
import { LIMITS, RelayError } from '@agentrelay/protocol';

/** Something in a JSON text that cannot be stored as sent, or not come back. */
export type JsonFaultKind = 'nul' | 'surrogate' | 'proto' | 'overflow' | 'integer' | 'depth';

export interface JsonFaultPlace {
  kind: JsonFaultKind;
  /** Where the value or the name begins that is at fault, and the entry that holds it. */
  at: number;
  entryAt: number;
  isName: boolean;
}

export interface JsonScan {
  /** How many values the text holds: objects, lists and what stands in them; names are none. */
  values: number;
  /** How many entries the outermost list has; undefined when that is no list, or not read as one of entries. */
  entries: number | undefined;
  /** The first fault of each entry, by its index; without entries the whole text is the first. */
  faults: (JsonFaultPlace | undefined)[];
}

/**
 * Goes through the bytes of a JSON text once and allocates nothing for what it holds. It accepts what `JSON.parse` accepts, and
 * finds what must not be taken in before anything is built from it. With `asEntries` the outermost list is one of requests: each
 * has a depth and a fault of its own.
 * @throws RelayError parse_error, or invalid_request for more values than a text may hold
 */
export function scanJson(bytes: Uint8Array, asEntries: boolean): JsonScan {
  if (!isUtf8(bytes)) throw notJson();
  return new Scanner(bytes, asEntries).run();
}

/** What `JSON.parse` makes of a text that `scanJson` has accepted. */
export function parseScanned(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8', markLength(bytes)));
}

export function notJson(cause?: unknown): RelayError {
  return new RelayError('parse_error', 'The body is not valid JSON in UTF-8.', {}, { cause });
}

/** A byte order mark at the beginning is read as if it were not there. */
function markLength(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const SMALL_U = 0x75;
const SMALL_E = 0x65;
const LARGE_E = 0x45;
const SPACE = 0x20;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** Bytes of an escape such as `\u0041`. */
const ESCAPE_LENGTH = 6;
/** What may stand behind a backslash beside `u`. */
const SHORT_ESCAPES = Buffer.from('"\\/bfnrt');

const PROTO = Buffer.from('__proto__');
const LARGEST_INTEGER = Buffer.from(String(Number.MAX_SAFE_INTEGER));
/** Powers of ten up to this are finite. */
const LARGEST_POWER = 308;
const WORDS = ['true', 'false', 'null'].map((word) => Buffer.from(word));

class Scanner {
  private at: number;
  private values = 0;
  private depth = 0;
  /** Which of the open containers are objects. */
  private objects = new Uint8Array(64);
  /** The entry that is being read; -1 before the first. */
  private entry = 0;
  private entryAt: number;
  private readonly isList: boolean;
  private readonly faults: (JsonFaultPlace | undefined)[] = [];

  constructor(
    private readonly bytes: Uint8Array,
    asEntries: boolean,
  ) {
    this.at = markLength(bytes);
    this.isList = asEntries && this.next() === OPEN_LIST;
    this.entryAt = this.at;
    if (this.isList) this.entry = -1;
  }

  run(): JsonScan {
    do {
      while (this.opensValue()) continue;
      while (this.depth > 0 && !this.goesOn()) continue;
    } while (this.depth > 0);
    if (this.next() !== undefined) throw notJson();
    return { values: this.values, entries: this.isList ? this.entry + 1 : undefined, faults: this.faults };
  }

  /** Reads a value; true when it is a container that holds something, of which the first value comes next. */
  private opensValue(): boolean {
    const byte = this.next();
    if (this.isList && this.depth === 1) {
      this.entry++;
      this.entryAt = this.at;
    }
    if (++this.values > LIMITS.jsonValues) throw tooManyValues();
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) return this.open(byte === OPEN_OBJECT);
    if (byte === QUOTE) this.text(false);
    else if (byte === MINUS || isDigit(byte)) this.number();
    else this.word(byte);
    return false;
  }

  private open(isObject: boolean): boolean {
    if (this.depth - (this.isList ? 1 : 0) >= LIMITS.jsonDepth) this.fault('depth', this.at, false);
    if (this.depth === this.objects.length) {
      const larger = new Uint8Array(this.depth * 2);
      larger.set(this.objects);
      this.objects = larger;
    }
    this.objects[this.depth++] = isObject ? 1 : 0;
    this.at++;
    if (this.next() === (isObject ? CLOSE_OBJECT : CLOSE_LIST)) {
      this.close();
      return false;
    }
    if (isObject) this.name();
    return true;
  }

  /** After a value: true when another one follows in the same container, which is closed otherwise. */
  private goesOn(): boolean {
    const isObject = this.objects[this.depth - 1] === 1;
    const byte = this.next();
    if (byte === COMMA) {
      this.at++;
      if (isObject) this.name();
      return true;
    }
    if (byte !== (isObject ? CLOSE_OBJECT : CLOSE_LIST)) throw notJson();
    this.close();
    return false;
  }

  private close(): void {
    this.at++;
    this.depth--;
  }

  private name(): void {
    if (this.next() !== QUOTE) throw notJson();
    this.text(true);
    if (this.next() !== COLON) throw notJson();
    this.at++;
  }

  private text(isName: boolean): void {
    const { bytes } = this;
    const start = this.at;
    let at = start + 1;
    let hasNul = false;
    let hasHalf = false;
    for (;;) {
      let byte = bytes[at];
      while (byte !== QUOTE && byte !== BACKSLASH && byte !== undefined && byte >= SPACE) byte = bytes[++at];
      if (byte === QUOTE) break;
      if (byte !== BACKSLASH) throw notJson();
      if (bytes[at + 1] !== SMALL_U) {
        if (!SHORT_ESCAPES.includes(bytes[at + 1] ?? 0)) throw notJson();
        at += 2;
        continue;
      }
      const unit = this.unitAt(at);
      at += ESCAPE_LENGTH;
      if (unit === 0) hasNul = true;
      else if (isLowHalf(unit)) hasHalf = true;
      else if (isHighHalf(unit)) {
        if (bytes[at] === BACKSLASH && bytes[at + 1] === SMALL_U && isLowHalf(this.unitAt(at))) at += ESCAPE_LENGTH;
        else hasHalf = true;
      }
    }
    this.at = at + 1;
    if (hasNul) this.fault('nul', start, isName);
    else if (hasHalf) this.fault('surrogate', start, isName);
    else if (isName && this.isProto(start + 1, at)) this.fault('proto', start, true);
  }

  /** The unit that the escape `\uXXXX` at this place stands for. */
  private unitAt(at: number): number {
    let unit = 0;
    for (let place = at + 2; place < at + ESCAPE_LENGTH; place++) unit = unit * 16 + hexDigit(this.bytes[place]);
    return unit;
  }

  /** Whether the name between two places, whose escapes are well-formed, is `__proto__` in whatever spelling. */
  private isProto(start: number, end: number): boolean {
    let at = start;
    for (const letter of PROTO) {
      if (at >= end) return false;
      if (this.bytes[at] === BACKSLASH && this.bytes[at + 1] === SMALL_U) {
        if (this.unitAt(at) !== letter) return false;
        at += ESCAPE_LENGTH;
      } else if (this.bytes[at++] !== letter) return false;
    }
    return at === end;
  }

  private number(): void {
    const start = this.at;
    if (this.bytes[start] === MINUS) this.at++;
    const digits = this.at;
    this.digits();
    const whole = this.at - digits;
    if (whole > 1 && this.bytes[digits] === ZERO) throw notJson();
    let isInteger = true;
    let power = 0;
    if (this.bytes[this.at] === POINT) {
      isInteger = false;
      this.at++;
      this.digits();
    }
    if (this.bytes[this.at] === SMALL_E || this.bytes[this.at] === LARGE_E) {
      isInteger = false;
      power = this.power();
    }
    if (isInteger) {
      if (this.isUnsafe(digits, whole)) this.fault('integer', start, false);
      // Only what could overflow is looked at closely: it costs a text.
    } else if (whole + power > LARGEST_POWER && !Number.isFinite(this.numberBetween(start, this.at))) {
      this.fault('overflow', start, false);
    }
  }

  /** @throws RelayError parse_error when not one digit stands here */
  private digits(): void {
    const start = this.at;
    while (isDigit(this.bytes[this.at])) this.at++;
    if (this.at === start) throw notJson();
  }

  /** The power of ten of an exponent; beyond a million it makes no difference. */
  private power(): number {
    this.at++;
    const sign = this.bytes[this.at];
    if (sign === MINUS || sign === PLUS) this.at++;
    const start = this.at;
    this.digits();
    let power = 0;
    for (let at = start; at < this.at && power < 1_000_000_000; at++)
      power = power * 10 + ((this.bytes[at] ?? ZERO) - ZERO);
    return sign === MINUS ? -power : power;
  }

  private isUnsafe(start: number, length: number): boolean {
    if (length !== LARGEST_INTEGER.length) return length > LARGEST_INTEGER.length;
    for (const [index, largest] of LARGEST_INTEGER.entries()) {
      const digit = this.bytes[start + index] ?? 0;
      if (digit !== largest) return digit > largest;
    }
    return false;
  }

  private numberBetween(start: number, end: number): number {
    return Number(Buffer.from(this.bytes.subarray(start, end)).toString('latin1'));
  }

  private word(first: number | undefined): void {
    const word = WORDS.find((known) => known[0] === first);
    if (word === undefined) throw notJson();
    for (const letter of word) if (this.bytes[this.at++] !== letter) throw notJson();
  }

  /** The next byte that is no white space, where the scanner then stands; undefined at the end. */
  private next(): number | undefined {
    let byte = this.bytes[this.at];
    while (byte === SPACE || byte === LINE_FEED || byte === TAB || byte === CARRIAGE_RETURN)
      byte = this.bytes[++this.at];
    return byte;
  }

  /** Keeps the first fault of an entry; a list with more entries than a batch may have is refused as a whole. */
  private fault(kind: JsonFaultKind, at: number, isName: boolean): void {
    if (this.entry < 0 || this.entry >= LIMITS.batchEntries) return;
    this.faults[this.entry] ??= { kind, at, entryAt: this.entryAt, isName };
  }
}

function tooManyValues(): RelayError {
  const message = `The request holds more than ${LIMITS.jsonValues} JSON values; send less at once.`;
  return new RelayError('invalid_request', message, { limit: LIMITS.jsonValues });
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

function isHighHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** @throws RelayError parse_error for what is no hexadecimal digit */
function hexDigit(byte = 0): number {
  if (byte >= ZERO && byte <= NINE) return byte - ZERO;
  const letter = byte | 0x20;
  if (letter >= 0x61 && letter <= 0x66) return letter - 0x57;
  throw notJson();
}
