import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { readDto } from './dto';
import { refuseUnfitQuery } from './query-fault';

/** Reads a REST body or query into its DTO. */
@Injectable()
export class DtoPipe<Dto extends object> implements PipeTransform<unknown, Dto> {
  constructor(readonly type: Type<Dto>) {}

  transform(value: unknown, { type }: ArgumentMetadata): Dto {
    // A body has been through the scan of its bytes.
    if (type === 'query') refuseUnfitQuery(value as object);
    return readDto(this.type, value);
  }
}
