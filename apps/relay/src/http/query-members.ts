import { Transform, Type as ToType } from 'class-transformer';
import { Optional, ValidateWith } from './constraints';

/** How many entries a page may have, in a query string: text on the wire, a number for whoever reads the DTO. */
export function PageLimit(max: number, rule = `whole number, 1 to ${max}`): PropertyDecorator {
  return (target, property) => {
    Optional()(target, property);
    ValidateWith(rule, (value) => queryNumberFault(value, max))(target, property);
    ToType(() => Number)(target, property);
  };
}

/** `true` or `false` in a query string. */
export function QueryFlag(): PropertyDecorator {
  return (target, property) => {
    Optional()(target, property);
    ValidateWith('`true`, `false`', (value) =>
      value === 'true' || value === 'false' ? undefined : 'must be one of true, false',
    )(target, property);
    Transform(({ value }: { value: unknown }) => value && value === 'true')(target, property);
  };
}

/** Turns a text that is an ISO 8601 time into a Date, once it is checked. */
export function AsDate(): PropertyDecorator {
  return ToType(() => Date);
}

/** Numbers in a query string are text. */
function queryNumberFault(value: unknown, max: number): string | undefined {
  const isNumber = typeof value === 'string' && /^\d{1,9}$/.test(value) && Number(value) >= 1;
  return isNumber && Number(value) <= max ? undefined : `must be a whole number from 1 to ${max}`;
}
