import { RelayError } from '@agentrelay/protocol';
import { type Type } from '@nestjs/common';
import { getMetadataStorage, validateSync, ValidateIf } from 'class-validator';
import { shownName } from './constraints';

const NESTED = Symbol('nested DTOs');

/** Marks a property as an object that is read by a DTO of its own. */
export function Nested(type: Type<object>): PropertyDecorator {
  return (target, property) => {
    const known = (Reflect.getMetadata(NESTED, target) as Map<PropertyKey, Type<object>> | undefined) ?? new Map();
    Reflect.defineMetadata(NESTED, new Map(known).set(property, type), target);
    // Registers the name as known to class-validator; the nested DTO does the checking.
    ValidateIf(() => false)(target, property);
  };
}

/** The properties of a DTO that have a DTO of their own. */
export function nestedTypes(type: Type<object>): ReadonlyMap<string, Type<object>> {
  return (
    (Reflect.getMetadata(NESTED, type.prototype as object) as Map<string, Type<object>> | undefined) ??
    new Map<string, never>()
  );
}

interface Fault {
  field: string;
  problem: string;
}

/**
 * Reads untrusted named values into a DTO: unknown names are refused, a null counts as absent, every
 * constraint of the DTO is checked. Values are taken over as sent, not copied or converted.
 * @throws RelayError invalid_params naming every field at fault
 */
export function readDto<Dto extends object>(type: Type<Dto>, value: unknown): Dto {
  const faults: Fault[] = [];
  const dto = read(type, value ?? {}, '', faults);
  const [first] = faults;
  if (first === undefined) return dto;
  throw new RelayError('invalid_params', `${first.field} ${first.problem}.`, {
    faults: faults.slice(0, MAX_FAULTS).map(({ field, problem }) => ({ field, problem })),
  });
}

const MAX_FAULTS = 20;

function read<Dto extends object>(type: Type<Dto>, value: unknown, path: string, faults: Fault[]): Dto {
  const dto = new type();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    faults.push({ field: path === '' ? 'params' : path, problem: 'must be an object of named values' });
    return dto;
  }
  const names = knownNames(type);
  const nested = nestedTypes(type);
  for (const [name, member] of Object.entries(value)) {
    // A body of many unknown names costs no more than the faults that are told.
    if (faults.length >= MAX_FAULTS) return dto;
    if (!names.has(name)) {
      faults.push({ field: join(path, name), problem: `is not known here; known are ${[...names].join(', ')}` });
    } else if (member !== null) {
      const nestedType = nested.get(name);
      const taken: unknown = nestedType === undefined ? member : read(nestedType, member, join(path, name), faults);
      (dto as Record<string, unknown>)[name] = taken;
    }
  }
  for (const error of validateSync(dto, { stopAtFirstError: true, forbidUnknownValues: false })) {
    const [problem = 'is invalid'] = Object.values(error.constraints ?? {});
    faults.push({ field: join(path, error.property), problem });
  }
  return dto;
}

const knownNamesCache = new Map<Type<object>, Set<string>>();

/** The names that a DTO takes. */
export function knownNames(type: Type<object>): ReadonlySet<string> {
  let names = knownNamesCache.get(type);
  if (names === undefined) {
    const metadata = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
    names = new Set(metadata.map(({ propertyName }) => propertyName));
    knownNamesCache.set(type, names);
  }
  return names;
}

function join(path: string, name: string): string {
  return path === '' ? shownName(name) : `${path}.${shownName(name)}`;
}
