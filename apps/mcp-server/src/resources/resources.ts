import type { WireEvent } from '@agentrelay/protocol';
import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Injectable } from '@nestjs/common';
import { EventWatcher } from './event-watcher';
import { INBOX_URI, ResourceReader, threadUri } from './resource-reader';

const THREAD_TEMPLATE = 'agentrelay://threads/{id}';
/** Where a part that does not fit goes on: each part names the next. */
const INBOX_PART_TEMPLATE = `${INBOX_URI}/from/{cursor}`;
const THREAD_PART_TEMPLATE = `${THREAD_TEMPLATE}/from/{place}`;
const MIME_TYPE = 'text/plain';

/** What happens to a thread that enters or leaves the list. */
const CHANGES_LIST: readonly string[] = ['handoff.created', 'handoff.completed', 'handoff.cancelled'];

/** The inbox and the threads as resources, with news of them for whoever listed or subscribed. */
@Injectable()
export class Resources {
  private readonly subscribed = new Set<string>();

  constructor(
    private readonly reader: ResourceReader,
    private readonly watcher: EventWatcher,
  ) {}

  register(server: McpServer): void {
    const asText = (uri: URL, text: string) => ({ contents: [{ uri: uri.href, mimeType: MIME_TYPE, text }] });
    server.registerResource(
      'inbox',
      INBOX_URI,
      { title: 'Inbox', description: 'What waits for your user, and replies to what they sent.', mimeType: MIME_TYPE },
      async (uri) => asText(uri, await this.reader.inbox()),
    );
    server.registerResource(
      'thread',
      new ResourceTemplate(THREAD_TEMPLATE, { list: async () => ({ resources: await this.list(server) }) }),
      { title: 'Thread', description: 'A thread of your user, read without a trace.', mimeType: MIME_TYPE },
      async (uri, { id }) => asText(uri, await this.reader.thread(String(id))),
    );
    server.registerResource(
      'inbox-part',
      new ResourceTemplate(INBOX_PART_TEMPLATE, { list: undefined }),
      { title: 'More of the inbox', description: 'The inbox from where the part before ended.', mimeType: MIME_TYPE },
      async (uri, { cursor }) => asText(uri, await this.reader.inbox(String(cursor))),
    );
    server.registerResource(
      'thread-part',
      new ResourceTemplate(THREAD_PART_TEMPLATE, { list: undefined }),
      { title: 'More of a thread', description: 'A thread from where the part before ended.', mimeType: MIME_TYPE },
      async (uri, { id, place }) => asText(uri, await this.reader.thread(String(id), String(place))),
    );
    server.server.registerCapabilities({ resources: { subscribe: true, listChanged: true } });
    server.server.setRequestHandler(SubscribeRequestSchema, async ({ params }) => {
      this.subscribed.add(params.uri);
      await this.watch(server);
      return {};
    });
    server.server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
      this.subscribed.delete(params.uri);
      return {};
    });
  }

  private async list(server: McpServer): ReturnType<ResourceReader['threads']> {
    await this.watch(server);
    return this.reader.threads();
  }

  private watch(server: McpServer): Promise<void> {
    return this.watcher.start((events, missed) => this.tell(server, events, missed));
  }

  private tell(server: McpServer, events: readonly WireEvent[], missed: boolean): void {
    const touched = new Set(events.flatMap(({ thread_id }) => (thread_id === undefined ? [] : [threadUri(thread_id)])));
    if (touched.size > 0) touched.add(INBOX_URI);
    for (const uri of missed ? this.subscribed : touched)
      if (this.subscribed.has(uri)) void server.server.sendResourceUpdated({ uri }).catch(ignoreClosed);
    if (missed || events.some(({ type }) => CHANGES_LIST.includes(type))) server.sendResourceListChanged();
  }
}

/** A client that has gone needs no news. */
function ignoreClosed(): void {
  // The process ends with its stdin.
}
