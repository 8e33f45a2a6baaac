import { agentRelayHome, type Environment, TrustFile } from '@agentrelay/workstation';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT } from '../environment';

/** The user's `trust.yaml` as it is now: it is small, and read again whenever it is asked. */
@Injectable()
export class TrustSource {
  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {}

  /** @throws WorkstationFileError when it cannot be read */
  now(): TrustFile {
    return TrustFile.load(agentRelayHome(this.environment));
  }
}
