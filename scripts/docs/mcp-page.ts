import { NestFactory } from '@nestjs/core';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { McpServerFactory } from '../../apps/mcp-server/src/mcp-server';
import { McpServerModule } from '../../apps/mcp-server/src/mcp-server.module';
import { table } from './table';

interface Schema {
  type?: string | string[];
  enum?: string[];
  description?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
}

/** `docs/mcp.md`: what a client is told by the MCP server itself. */
export async function mcpPage(): Promise<string> {
  // Nothing is called, so the empty home is never looked at.
  const module = McpServerModule.forEnvironment({ AGENTRELAY_HOME: '/nonexistent' });
  const app = await NestFactory.createApplicationContext(module, { logger: false });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'docs', version: '1.0.0' });
  await app.get(McpServerFactory).create('docs').connect(far);
  await client.connect(near);
  const { tools } = await client.listTools();
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  const { prompts } = await client.listPrompts();
  await client.close();
  await app.close();
  return `# MCP reference

Generated from the code by \`npm run docs\`; \`npm run check\` fails when it is out of date.

Each result is at most \`AGENTRELAY_RESULT_CHARS\` characters long (4,000 to 100,000; default 40,000, and 9,000 for Codex and Copilot CLI, which would cut longer ones themselves), and its message at most 256 KiB. What is over
comes in parts: each says how much is missing and how to read on. The text block and the member \`text\` of the structured result are the
same; nothing else repeats what was written. Arguments that a tool does not have are ignored, numbers and lists that come as text are
read, and null is absent.

## Tools

${tools.map(toolSection).join('\n\n')}

## Resources

Reading one marks nothing as read; a part that does not fit names the address of the next. Clients may subscribe; news comes from the relay's event log.

${table(
  ['Resource', ''],
  [
    ...resources.map(({ uri, description = '' }) => [`\`${uri}\``, description]),
    ...resourceTemplates.map(({ uriTemplate, description = '' }) => [`\`${uriTemplate}\``, description]),
  ],
)}

## Prompts

${table(
  ['Prompt', 'Arguments', ''],
  prompts.map(({ name, arguments: args = [], description = '' }) => [
    `\`${name}\``,
    args.map((arg) => `\`${arg.name}?\``).join(', '),
    description,
  ]),
)}
`;
}

function toolSection({ name, description = '', inputSchema, outputSchema, annotations }: Tool): string {
  const hints = Object.entries(annotations ?? {}).filter(([, value]) => value === true);
  return `### \`${name}\`

${description}

Hints: ${hints.map(([hint]) => `\`${hint}\``).join(', ') || 'none'}.

${members('Input', inputSchema as Schema)}

${members('Output', (outputSchema ?? {}) as Schema)}`;
}

function members(title: string, { properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(([name, schema]) => [
    `\`${name}${required.includes(name) ? '' : '?'}\``,
    typeOf(schema),
    schema.description ?? '',
  ]);
  return table([title, 'Type', ''], rows);
}

function typeOf(schema: Schema): string {
  if (schema.anyOf !== undefined)
    return schema.anyOf
      .map((branch) => branch.properties?.['type']?.enum?.map((value) => `\`${value}\``).join(', ') ?? typeOf(branch))
      .join(', ');
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`;
  if (schema.type === 'object' && schema.properties !== undefined) {
    return `{ ${Object.keys(schema.properties).join(', ')} }`;
  }
  return [schema.type ?? 'any'].flat().join(' or ');
}
