import type { Budget } from '../bench/table';
import type { Struck } from './strike';

/** A number with the rule that it has to keep. */
export interface Figure {
  what: string;
  value: number;
  /** The number with its unit, and with what it was compared. */
  shown: string;
  /** Without one the figure is told and not judged. */
  budget: Budget | undefined;
  /** It depends on how fast and how busy the machine is. */
  ofSpeed: boolean;
}

/** What must be so, and what was seen. */
export interface Claim {
  what: string;
  holds: boolean;
  seen: string;
}

/** An answer that no attack may get, with how to get it again. */
export interface Fault {
  fault: string;
  reproduction: string;
}

/** What an attack has shown; judged by `checker.ts`. */
export interface Evidence {
  attack: string;
  /** Requests by their outcome: a status, `closed` or `hung`. */
  outcomes: Record<string, number>;
  faults: Fault[];
  figures: Figure[];
  claims: Claim[];
  /** How the process ended, if it did. */
  endedBy: string | undefined;
  /** The attack could not be carried out to its end although the process lives. */
  failure: string | undefined;
  peakMiB: number;
  /** A handoff was sent, accepted and completed after the attack. */
  servesAfter: boolean;
}

export interface Expected {
  /** The relay may hang up without an answer: the request was larger or odder than it reads. */
  mayClose?: boolean;
  /** 503 is right, with a time to try again: something that is bounded was used up. */
  mayBeBusy?: boolean;
}

const KEPT_FAULTS = 50;

/** Collects what one attack shows. */
export class Ledger {
  readonly outcomes: Record<string, number> = {};
  readonly faults: Fault[] = [];
  readonly figures: Figure[] = [];
  readonly claims: Claim[] = [];

  /** Counts an answer, and notes it as a fault when no attack may get it. */
  take({ status, reply, ms }: Struck, expected: Expected, reproduction: string): void {
    const name = String(status);
    this.outcomes[name] = (this.outcomes[name] ?? 0) + 1;
    const fault = faultOf(status, reply?.headers ?? {}, expected);
    if (fault === undefined || this.faults.length >= KEPT_FAULTS) return;
    const said = reply === undefined ? '' : `; ${reply.body.toString('utf8', 0, 300)}`;
    this.faults.push({ fault: `${fault} after ${Math.round(ms)} ms${said}`, reproduction });
  }

  figure(what: string, value: number, shown: string, budget?: Budget): void {
    this.figures.push({ what, value, shown, budget, ofSpeed: false });
  }

  /** A figure that depends on how fast and how busy the machine is. */
  speed(what: string, value: number, shown: string, budget?: Budget): void {
    this.figures.push({ what, value, shown, budget, ofSpeed: true });
  }

  claim(what: string, holds: boolean, seen: string): void {
    this.claims.push({ what, holds, seen });
  }
}

function faultOf(
  status: Struck['status'],
  headers: Record<string, string>,
  { mayClose = false, mayBeBusy = false }: Expected,
): string | undefined {
  if (status === 'hung') return 'no answer';
  if (status === 'closed') return mayClose ? undefined : 'hung up without an answer';
  if (status === 503 && mayBeBusy)
    return headers['retry-after'] === undefined ? 'status 503 without Retry-After' : undefined;
  return status >= 500 ? `status ${status}` : undefined;
}
