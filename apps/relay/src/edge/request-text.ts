import { type ErrorDetails, type ErrorSymbol, LIMITS, textFault } from '@agentrelay/protocol';

export interface RequestFault {
  symbol: ErrorSymbol;
  message: string;
  details: ErrorDetails;
}

interface Place {
  value: unknown;
  path: string;
  depth: number;
}

/**
 * What makes a parsed request unfit for storage wherever it stands: nesting beyond the limit, a NUL or a
 * lone surrogate in a text or a key, a number that overflows (it would come back as null), and the key
 * `__proto__`, which no object can carry safely.
 * Walks without recursion, so that depth costs no stack.
 */
export function requestFault(root: unknown): RequestFault | undefined {
  const open: Place[] = [{ value: root, path: '', depth: 0 }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value, path, depth } = place;
    if (typeof value === 'string') {
      const fault = textFault(value);
      if (fault !== undefined) return invalid(path, fault);
    } else if (typeof value === 'number' && !Number.isFinite(value)) {
      return invalid(path, 'is a number beyond what JSON readers can hold; send it as a string');
    } else if (typeof value === 'object' && value !== null) {
      if (depth >= LIMITS.jsonDepth) {
        return {
          symbol: 'invalid_request',
          message: `The request is nested deeper than ${LIMITS.jsonDepth} levels; flatten it.`,
          details: { limit: LIMITS.jsonDepth },
        };
      }
      for (const [key, member] of Object.entries(value)) {
        const fault = key === '__proto__' ? 'is not allowed as a name' : textFault(key);
        if (fault !== undefined) return invalid(`${path}.${JSON.stringify(key)}`, fault);
        open.push({
          value: member,
          path: Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`,
          depth: depth + 1,
        });
      }
    }
  }
  return undefined;
}

function invalid(path: string, problem: string): RequestFault {
  const field = path.replace(/^\./, '').slice(0, 200) || 'the request';
  return { symbol: 'invalid_params', message: `${field} ${problem}.`, details: { faults: [{ field, problem }] } };
}
