import { requestCategories } from '../../contract/names.ts';
import type { ValidationError } from '../../contract/problem.ts';
import type { UrlFault } from '../../measure/targets/page-url.ts';

/**
 * Messages of pydantic 2, which no other module contains. Source: error types of pydantic-core 2.x, as FastAPI sends
 * them.
 */

export type Loc = ValidationError['loc'];
type ItemOf = (loc: Loc) => ValidationError;

/** Faults of a request, answered together as a 422. */
export class ValidationFailure extends Error {
  readonly items: readonly ValidationError[];

  constructor(items: readonly ValidationError[]) {
    super('The request is not valid');
    this.name = 'ValidationFailure';
    this.items = items;
  }
}

const item =
  (type: string, msg: string): ItemOf =>
  loc => ({ loc: [...loc], msg, type });

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Lists choices as `'mobile', 'desktop' or 'both'`, without a comma before the last. */
const alternatives = (choices: readonly string[]): string => {
  const quoted = choices.map(choice => `'${choice}'`);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
};

export const missing = item('missing', 'Field required');
export const stringType = item('string_type', 'Input should be a valid string');
export const dictType = item('dict_type', 'Input should be a valid dictionary');
export const listType = item('list_type', 'Input should be a valid list');
export const boolType = item('bool_type', 'Input should be a valid boolean');
export const boolParsing = item('bool_parsing', 'Input should be a valid boolean, unable to interpret input');
export const floatType = item('float_type', 'Input should be a valid number');
export const intType = item('int_type', 'Input should be a valid integer');
export const intParsing = item('int_parsing', 'Input should be a valid integer, unable to parse string as an integer');
export const atLeast = (min: number): ItemOf =>
  item('greater_than_equal', `Input should be greater than or equal to ${min}`);
export const atMost = (max: number): ItemOf => item('less_than_equal', `Input should be less than or equal to ${max}`);
/** Returns pydantic's message for a forbidden field, and the name that was probably meant. */
export const misspelled = (meant: string): ItemOf =>
  item('extra_forbidden', `Extra inputs are not permitted. Did you mean \`${meant}\`?`);
export const notAnObject = item(
  'model_attributes_type',
  'Input should be a valid dictionary or object to extract fields from',
);
/** Returns pydantic's message for a forbidden field, and the names that are known. */
export const unknownField = (known: readonly string[]): ItemOf =>
  item('extra_forbidden', `Extra inputs are not permitted. The fields are ${known.join(', ')}`);
/** Returns the message for a body that is too large to be read, although its size in bytes is allowed. */
export const tooMuch = (excess: string): ItemOf => item('too_long', `The body is refused: ${excess}`);
export const tooManyFields = (max: number): ItemOf =>
  item('too_long', `Dictionary should have at most ${counted(max, 'item')} after validation`);
export const jsonInvalid = item('json_invalid', 'JSON decode error');

export const wrongContentType = (contentType: string): ItemOf =>
  item(
    'model_attributes_type',
    `Input should be a valid dictionary or object to extract fields from: send it as application/json, not ${contentType}`,
  );

export const valueError = (reason: string): ItemOf => item('value_error', `Value error, ${reason}`);
export const notText = valueError('it must not contain U+0000 or half of a surrogate pair');
export const literalError = (choices: readonly string[]): ItemOf =>
  item('literal_error', `Input should be ${alternatives(choices)}`);
export const categoryError = literalError(requestCategories);

export const datetimeParsing = item('datetime_parsing', 'Input should be a valid datetime or date, such as 2026-03-14');
export const stringTooLong = (max: number): ItemOf =>
  item('string_too_long', `String should have at most ${counted(max, 'character')}`);
export const tooLong = (max: number, actual: number): ItemOf =>
  item('too_long', `List should have at most ${counted(max, 'item')} after validation, not ${actual}`);
export const tooShort = (min: number, actual: number): ItemOf =>
  item('too_short', `List should have at least ${counted(min, 'item')} after validation, not ${actual}`);

export const urlError = ({ kind, reason }: UrlFault): ItemOf => {
  switch (kind) {
    case 'parsing':
      return item('url_parsing', `Input should be a valid URL, ${reason}`);
    case 'scheme':
      return item('url_scheme', "URL scheme should be 'http' or 'https'");
    case 'too_long':
      return item('url_too_long', `URL should have at most ${reason} characters`);
    case 'value':
      return valueError(reason);
  }
};
