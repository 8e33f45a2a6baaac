import { FirstHandoff1796040000000 } from './1796040000000-first-handoff';

/** Every migration in order. A new one is appended; an applied one is never edited. */
export const MIGRATIONS = [FirstHandoff1796040000000] as const;

/** The newest migration: a database that has it serves this version of the relay. */
export const REQUIRED_MIGRATION = 'FirstHandoff1796040000000';
