import { isInvisible } from '@agentrelay/untrusted-text';
import { type Budget, bytesInJson } from '../result-budget';

/** A line is cut inside only when it is longer than this, or nothing else would be shown. */
const SHORT_LINE = 2_000;
/** How far back a place is looked for where nothing is torn apart. */
const LOOK_BACK = 40;

/**
 * Up to where `content` fits from `start` on, with `perLine` characters more for each line: the end of the content, the line
 * break that is cut at, or a place inside a long line. `start` when nothing fits.
 */
export function cutToFit(content: string, start: number, room: Budget, perLine: number): number {
  let { characters, bytes } = room;
  for (let at = start; ;) {
    const newline = content.indexOf('\n', at);
    const end = newline < 0 ? content.length : newline;
    // Before it is measured: a line of a megabyte needs no measuring.
    const fits = end - at + perLine + 1 <= characters && bytesInJson(content.slice(at, end)) + perLine + 2 <= bytes;
    if (!fits) {
      if (at > start && end - at <= SHORT_LINE) return at - 1;
      const inside = insideLine(content, at, end, { characters: characters - perLine - 1, bytes: bytes - perLine - 2 });
      return inside > at ? inside : at > start ? at - 1 : start;
    }
    characters -= end - at + perLine + 1;
    bytes -= bytesInJson(content.slice(at, end)) + perLine + 2;
    if (end === content.length) return end;
    at = end + 1;
  }
}

function insideLine(content: string, from: number, end: number, room: Budget): number {
  let length = Math.min(end - from, Math.floor(room.characters));
  while (length > 0) {
    const bytes = bytesInJson(content.slice(from, from + length));
    if (bytes <= room.bytes) break;
    length = Math.min(length - 1, Math.floor((length * room.bytes) / bytes));
  }
  return length <= 0 ? from : whole(content, from, from + length);
}

/** The nearest place at or before `at` where neither a character, an emoji nor a name like `⟦U+200B⟧` is torn apart. */
function whole(content: string, from: number, at: number): number {
  const least = Math.max(from + 1, at - LOOK_BACK);
  const opening = content.lastIndexOf('⟦', at - 1);
  let place = opening >= least && content.indexOf('⟧', opening) >= at ? opening : at;
  while (place > least && tears(content, place)) place--;
  return tears(content, place) ? (splitsPair(content, at) ? at - 1 : at) : place;
}

function tears(content: string, at: number): boolean {
  if (splitsPair(content, at)) return true;
  const [before, after] = [content.charCodeAt(at - 1), content.codePointAt(at) ?? 0x20];
  return before === 0x200d || before === 0x200c || isInvisible(after);
}

function splitsPair(content: string, at: number): boolean {
  const [before, after] = [content.charCodeAt(at - 1), content.charCodeAt(at)];
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
