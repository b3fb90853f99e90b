/** Fields that the schemas of several requests and responses share. */
import Type, { type TProperties, type TSchema } from 'typebox';
import { type CustomMetricName, customMetricPattern, maxLabelCharacters, maxTextLength } from './names.ts';

/* Fields of one kind, each with its description for `/openapi.json` and docs/fields.md. */

export const text = (description: string) => Type.String({ description });
export const number = (description: string) => Type.Number({ description });
export const count = (description: string, minimum = 0) => Type.Integer({ minimum, description });
export const flag = (description: string) => Type.Boolean({ description });
export const moment = (description: string) => Type.String({ format: timeFormat, description });
export const oneOf = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Enum<[...T]>([...values], { description });
export const arrayOf = <T extends TSchema>(items: T, description: string) => Type.Array(items, { description });
export const byName = <T extends TSchema>(values: T, description: string) =>
  Type.Record(Type.String(), values, { description });
/** Returns the same schema for each of some names. */
export const each = <Name extends string, T extends TSchema>(names: readonly Name[], schema: T) =>
  Object.fromEntries(names.map(name => [name, schema])) as Record<Name, T>;

export const group = <T extends TProperties>(description: string, fields: T) => Type.Object(fields, { description });

/** Returns an object that has a name of its own in `/openapi.json`. */
export const component = <T extends TProperties>($id: string, description: string, fields: T) =>
  Type.Object(fields, { $id, description });

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** An object without other fields: what a worker sends is not trusted. */
export const closed = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });

export const workerText = Type.String({ maxLength: maxTextLength });

/** Returns a shared schema with its own description, for `/openapi.json` and docs/fields.md. */
export const described = <T extends TSchema>(schema: T, description: string): T => ({ ...schema, description });

/** Accepts a custom metric next to the names of a list. */
export const orCustomMetric = <T extends TSchema>(
  schema: T,
  options: { default?: string; title?: string; description: string },
) => Type.Union([schema, Type.Unsafe<CustomMetricName>({ type: 'string', pattern: customMetricPattern })], options);

/** Format of one line of text without control characters; empty means absent. */
export const labelFormat = 'label';
export const labelText = { maxLength: maxLabelCharacters, format: labelFormat };

/** Format of a page's URL: it is parsed strictly, and converted to its canonical form. */
export const pageUrlFormat = 'uri';

/** Format of an ISO 8601 time or day. */
export const timeFormat = 'date-time';
export const time = Type.String({ format: timeFormat });

/** Returns whether text can be stored: PostgreSQL stores no U+0000, and no database a lone surrogate. */
export const isStorableText = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
