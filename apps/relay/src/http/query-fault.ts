import { RelayError, textFault } from '@agentrelay/protocol';

/** Refuses text in a query string that cannot be stored as sent. @throws RelayError invalid_params */
export function refuseUnfitQuery(query: object): void {
  for (const [name, value] of Object.entries(query)) {
    const nameFault = name === '__proto__' ? 'is not allowed as a name' : textFault(name);
    if (nameFault !== undefined) throw invalid(JSON.stringify(name), nameFault);
    for (const text of [value].flat()) {
      const fault = typeof text === 'string' ? textFault(text) : undefined;
      if (fault !== undefined) throw invalid(name, fault);
    }
  }
}

function invalid(path: string, problem: string): RelayError {
  const field = path.slice(0, 200);
  return new RelayError('invalid_params', `${field} ${problem}.`, { faults: [{ field, problem }] });
}
