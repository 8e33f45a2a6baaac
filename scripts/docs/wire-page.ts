import { DEFAULT_LIMITS, ERRORS } from '@agentrelay/protocol';
import type { INestApplication } from '@nestjs/common';
import { type DescribedMember, describeDto } from '../../apps/relay/src/http';
import { RpcRegistry, TransitionParams, TransitionRegistry } from '../../apps/relay/src/rpc';
import { restRoutes } from './rest-routes';
import { table } from './table';

const ACCESS = { key: 'API key', administrator: 'admin token', public: '–' } as const;

/** `docs/wire.md`: everything that the code itself knows of the wire. */
export function wirePage(app: INestApplication): string {
  return `# Wire reference

Generated from the code by \`npm run docs\`; \`npm run check\` fails when it is out of date.

## The native API: \`POST /a2a\`

JSON-RPC 2.0 with \`Authorization: Bearer <API key>\`. \`id\` is a string of at most 255 characters, a number or null; a single request without one is
answered with \`id: null\`. A batch has at most ${DEFAULT_LIMITS.batchEntries} entries, each checked and answered on its own. Unknown parameters are
refused by name, \`null\` counts as absent. A write takes an idempotency key as \`metadata.client_idempotency_key\`, as
\`idempotency_key\` or in the header \`Idempotency-Key\`: repeated with the same arguments it gives the first answer again
with \`replayed: true\`.

An answer, and all answers of a batch together, take at most ${DEFAULT_LIMITS.answerBytes} bytes (\`RELAY_LIMIT_ANSWER_BYTES\`). A thread that is longer
comes in parts, oldest messages first: \`next_after_sequence_no\` is there when more follow, and asking with
\`after_sequence_no\` at that number yields it. The position of the reader moves only over what a part holds. \`omitted\` names
members that had no room beside the messages and are empty: \`artifacts\` and \`completion_artifacts\`, which the first and the last
message hold too, \`proposed_action\`, and \`messages.<sequence_no>.artifacts\` for a message that was stored before there was a
bound and is longer than an answer. In a batch whose bound is used up writes are still done, and leave the thread out
(\`omitted: ["thread"]\`); what is only read is answered with \`payload_too_large\` and has to be asked alone.

${app.get(RpcRegistry).all().map(methodSection).join('\n\n')}

### Transitions

What \`tasks/update\` takes for each \`transition\`, besides what all of them take.

${table(['Transition', 'Parameters'], transitions(app))}

## REST

Errors are \`{code, message, request_id, details}\`.

${table(
  ['Route', 'Credential', 'Body or query'],
  restRoutes(app).map(({ method, path, access, members }) => [
    `\`${method} ${path}\``,
    ACCESS[access],
    memberList(members),
  ]),
)}

## Errors

\`error.data\` is \`{code, request_id, details}\`; branch on \`code\`, the symbol.

${table(
  ['Symbol', 'JSON-RPC', 'HTTP'],
  Object.entries(ERRORS).map(([symbol, { rpc, http }]) => [
    `\`${symbol}\``,
    rpc === undefined ? 'REST only' : String(rpc),
    String(http),
  ]),
)}

## Limits

Text is counted in Unicode code points, JSON in UTF-8 bytes. Which of them an operator may change stands in
[configure.md](configure.md).

${table(
  ['Limit', 'Default'],
  Object.entries(DEFAULT_LIMITS).map(([name, value]) => [`\`${name}\``, value.toLocaleString('en')]),
)}
`;
}

function methodSection(method: ReturnType<RpcRegistry['all']>[number]): string {
  const rows = describeDto(method.params).map(({ name, optional, rule }) => [
    `\`${name}\``,
    optional ? '' : 'required',
    rule,
  ]);
  return `### \`${method.name}\`

${method.summary} ${method.writes ? 'Writes.' : 'Reads.'}

${table(['Parameter', '', 'Allowed'], rows)}`;
}

function transitions(app: INestApplication): string[][] {
  const common = new Set(describeDto(TransitionParams).map(({ name }) => name));
  return app
    .get(TransitionRegistry)
    .all()
    .map(({ name, params }) => {
      const own = describeDto(params).filter((member) => !common.has(member.name));
      return [`\`${name}\``, own.map((member) => `\`${member.name}\`: ${member.rule}`).join('; ')];
    });
}

function memberList(members: DescribedMember[]): string {
  return members.map(({ name, optional }) => `\`${name}${optional ? '?' : ''}\``).join(', ');
}
