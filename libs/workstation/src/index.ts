export { agentRelayHome, readConfigFile, writeConfigFile } from './config-file';
export { writeFileAtomically } from './private-file';
