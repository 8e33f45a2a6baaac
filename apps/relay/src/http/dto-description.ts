import type { Type } from '@nestjs/common';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { nestedTypes } from './dto';

export interface DescribedMember {
  name: string;
  optional: boolean;
  /** What is allowed, in words. */
  rule: string;
}

/** The members of a DTO as the documents list them, nested ones by their path. */
export function describeDto(type: Type<object>, path = ''): DescribedMember[] {
  const metadata = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const nested = nestedTypes(type);
  const names = [...new Set(metadata.map(({ propertyName }) => propertyName))];
  return names.flatMap((name) => {
    const inner = nested.get(name);
    if (inner !== undefined) return describeDto(inner, `${path}${name}.`);
    const own = metadata.filter(({ propertyName }) => propertyName === name);
    const optional = own.some(({ type: kind }) => kind === ValidationTypes.CONDITIONAL_VALIDATION);
    const rule = own.find(({ type: kind }) => kind === ValidationTypes.CUSTOM_VALIDATION)?.name ?? '';
    return [{ name: `${path}${name}`, optional, rule }];
  });
}
