import { FirstHandoff1796040000000 } from './1796040000000-first-handoff';
import { OpenHandoffs1796050000000 } from './1796050000000-open-handoffs';
import { TraceContext1796050100000 } from './1796050100000-trace-context';
import { TraceContextChecked1796050200000 } from './1796050200000-trace-context-checked';
import { ThreadBytes1796100000000 } from './1796100000000-thread-bytes';
import { MessageBytes1796100100000 } from './1796100100000-message-bytes';
import { BytesChecked1796100200000 } from './1796100200000-bytes-checked';
import { KeyLineage1796200000000 } from './1796200000000-key-lineage';
import { LogEpoch1796300000000 } from './1796300000000-log-epoch';
import { FreshSnapshot1796300100000 } from './1796300100000-fresh-snapshot';

/** Every migration in order. A new one is appended; an applied one is never edited. */
export const MIGRATIONS = [
  FirstHandoff1796040000000,
  OpenHandoffs1796050000000,
  TraceContext1796050100000,
  TraceContextChecked1796050200000,
  ThreadBytes1796100000000,
  MessageBytes1796100100000,
  BytesChecked1796100200000,
  KeyLineage1796200000000,
  LogEpoch1796300000000,
  FreshSnapshot1796300100000,
] as const;

/** The newest migration that this version's statements need: a database that has it can be served. */
export const REQUIRED_MIGRATION = 'FreshSnapshot1796300100000';
