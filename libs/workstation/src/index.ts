export {
  agentRelayHome,
  ConfigFileError,
  readConfigFile,
  type WorkstationConfig,
  writeConfigFile,
} from './config-file';
export { writeFileAtomically } from './private-file';
