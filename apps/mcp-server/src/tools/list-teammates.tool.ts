import { LIMITS, type WireRoster, type WireTeammate } from '@agentrelay/protocol';
import { z } from 'zod';
import { NoSuchPlace, type Piece, ToolText } from '../provenance';
import { resultText, text } from './schemas';
import { defineTool, READS } from './tool';

/** How many teammates are asked for at once. */
const PAGE = 50;
/** Characters kept for the sentence behind them. */
const RESERVED = 800;

/** Where the list goes on: the page of the relay, and in it the teammate, after so many characters of what is shown of them. */
interface RosterPlace {
  page: string;
  handle: string;
  offset: number;
}

const PLACE = /^([^~]{0,300})~([^~]{0,120})~(\d{1,9})$/;

export const listTeammates = defineTool({
  name: 'list_teammates',
  title: 'List teammates',
  description:
    'Lists the teammates that can be handed work, with role, skills and the repositories they own. ' +
    'Use it to find the right handle before handoff_to_teammate, or who owns a path.',
  input: z.object({
    role: text(LIMITS.role).optional().describe('Only this role, such as frontend.'),
    skill: text(LIMITS.skill).optional().describe('Only those with this skill, such as react.'),
    repo: text(LIMITS.repo).optional().describe('Only owners of this path, such as apps/web/src.'),
    cursor: z.string().min(1).max(450).optional().describe('next_cursor of the list before.'),
  }),
  output: z.object({
    text: resultText,
    teammates: z.array(z.object({ handle: z.string() })),
    next_cursor: z.string().nullable(),
  }),
  annotations: READS,
  async run({ role, skill, repo, cursor }, { client, budget }) {
    const place = readPlace(cursor);
    const roster = await client.read('agents/list', {
      ...(role !== undefined && { role }),
      ...(skill !== undefined && { skill }),
      ...(repo !== undefined && { repo }),
      page: { limit: PAGE, ...(place.page !== '' && { cursor: place.page }) },
    });
    const rest = behind(roster.teammates, place.handle);
    const offset = rest[0]?.handle === place.handle ? place.offset : 0;
    const out = new ToolText().say(
      `${rest.length} teammate${rest.length === 1 ? '' : 's'}${cursor === undefined ? '' : ' more'}.`,
    );
    const stop = out.pieces(rest.map(pieceOf), offset, budget, RESERVED);
    const shown = stop === undefined ? rest : rest.slice(0, stop.piece + (stop.offset > 0 ? 1 : 0));
    const next = nextOf(roster, place, stop && { handle: rest[stop.piece]?.handle ?? '', offset: stop.offset });
    if (next !== null) out.say(`More: call list_teammates again with cursor "${next}".`);
    return { structured: { teammates: shown.map(({ handle }) => ({ handle })), next_cursor: next }, text: out };
  },
});

/** @throws NoSuchPlace */
function readPlace(cursor: string | undefined): RosterPlace {
  if (cursor === undefined) return { page: '', handle: '', offset: 0 };
  const [, page, handle = '', offset] = PLACE.exec(cursor) ?? [];
  if (page === undefined) throw new NoSuchPlace('cursor', 'next_cursor of the list before');
  return { page, handle, offset: Number(offset) };
}

/** From the teammate that a place names on, or whoever comes after them when they have left. */
function behind(teammates: readonly WireTeammate[], handle: string): readonly WireTeammate[] {
  if (handle === '') return teammates;
  const at = teammates.findIndex((teammate) => teammate.handle === handle);
  return at >= 0 ? teammates.slice(at) : teammates.filter((teammate) => teammate.handle > handle);
}

function nextOf(
  { next_cursor }: WireRoster,
  { page }: RosterPlace,
  stop: { handle: string; offset: number } | undefined,
): string | null {
  if (stop !== undefined) return `${page}~${stop.handle}~${stop.offset}`;
  return next_cursor === null ? null : `${next_cursor}~~0`;
}

/** All of them in one block: what a teammate says of themselves. */
function pieceOf({ handle, name, role, description, skills, repos_owned }: WireTeammate): Piece {
  const lines = [
    name,
    role && `role: ${role}`,
    description && `about: ${description}`,
    skills.length > 0 && `skills: ${skills.join(', ')}`,
    repos_owned.length > 0 && `owns: ${repos_owned.join(', ')}`,
  ];
  return { by: 'the teammates themselves', label: handle, content: lines.filter(Boolean).join('\n') };
}
