import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { readDto } from './dto';
import { refuseUnfitQuery } from './query-fault';

/** Reads a REST body or query into its DTO. What a query can only say as text is what the DTO declares: numbers, times, flags. */
@Injectable()
export class DtoPipe<Dto extends object> implements PipeTransform<unknown, Dto> {
  constructor(readonly type: Type<Dto>) {}

  transform(value: unknown, { type }: ArgumentMetadata): Dto {
    // A body has been through the scan of its bytes.
    if (type !== 'query') return readDto(this.type, value);
    refuseUnfitQuery(value as object);
    return plainToInstance(this.type, readDto(this.type, value));
  }
}
