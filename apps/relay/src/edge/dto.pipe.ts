import { RelayError } from '@agentrelay/protocol';
import { Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { readDto } from './dto';
import { requestFault } from './request-text';

/** Reads a REST body or query into its DTO. */
@Injectable()
export class DtoPipe<Dto extends object> implements PipeTransform<unknown, Dto> {
  constructor(readonly type: Type<Dto>) {}

  transform(value: unknown): Dto {
    const fault = requestFault(value);
    if (fault !== undefined) throw new RelayError(fault.symbol, fault.message, fault.details);
    return readDto(this.type, value);
  }
}
