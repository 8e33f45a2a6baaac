import { acceptHandoff } from './accept-handoff.tool';
import { cancelHandoff } from './cancel-handoff.tool';
import { checkInbox } from './check-inbox.tool';
import { completeHandoff } from './complete-handoff.tool';
import { draftProposedAction } from './draft-proposed-action.tool';
import { handoffToTeammate } from './handoff-to-teammate.tool';
import { listTeammates } from './list-teammates.tool';
import { sendMessage } from './send-message.tool';
import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import { inputSchema, outputSchema } from './client-schema';
import type { Tool } from './tool';
import { waitForUpdates } from './wait-for-updates.tool';
import { viewThread } from './view-thread.tool';

/** The mailbox tools, in the order a model reads them. */
export const MAILBOX_TOOLS = [
  handoffToTeammate,
  checkInbox,
  acceptHandoff,
  sendMessage,
  completeHandoff,
  viewThread,
  listTeammates,
  cancelHandoff,
  draftProposedAction,
  waitForUpdates,
] as unknown as readonly Tool[];

/** The tools as clients are shown them. */
export function toolList(): ListedTool[] {
  return MAILBOX_TOOLS.map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: inputSchema(tool) as ListedTool['inputSchema'],
    outputSchema: outputSchema(tool) as ListedTool['outputSchema'],
    annotations: { title: tool.title, ...tool.annotations },
  }));
}

export { inputSchema } from './client-schema';
export type { Tool, ToolAnswer } from './tool';
