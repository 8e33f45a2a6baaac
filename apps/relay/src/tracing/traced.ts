import { type Attributes, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/** What a piece of work is, in a trace. */
export interface Described {
  name: string;
  kind?: SpanKind;
  attributes: Attributes;
}

/** Records `work` as a span of whatever trace is being recorded here. Without a tracer that costs next to nothing. */
export function traced<Result>(
  { name, kind = SpanKind.INTERNAL, attributes }: Described,
  work: () => Promise<Result>,
): Promise<Result> {
  return trace.getTracer('agentrelay').startActiveSpan(name, { kind, attributes }, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** The span of a database statement: its text, in which values have no place. */
export function statementSpan(text: string): Described {
  const [operation = ''] = text.trimStart().split(/\s/, 1);
  return {
    name: operation,
    kind: SpanKind.CLIENT,
    attributes: { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.query.text': text },
  };
}
