export { agentRelayHome, makeRoomForConfig, readConfigFile, type WorkstationConfig, writeConfig } from './config-file';
export { type Connection, connectionOf, type Environment, NotConfigured, UnusableConnection } from './connection';
export { linkTarget } from './link-target';
export { Ledger, type LedgerEntry } from './ledger';
export { writeFileAtomically } from './private-file';
export { readSettings, writeSettings } from './settings-file';
export { type TeammateTrust, TrustFile, type TrustPatch } from './trust-file';
export { WorkstationFileError } from './workstation-file-error';
export { isPlainPath } from './written-path';
