/** Fields that the schemas of several requests and responses share. */
import Type, { type TProperties, type TSchema } from 'typebox';
import {
  type CustomMetricName,
  callbackFormats,
  customMetricPattern,
  maxLabelCharacters,
  maxTextLength,
} from './names.ts';

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** An object without other fields: what a worker sends is not trusted. */
export const closed = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });

export const workerText = Type.String({ maxLength: maxTextLength });

/** Returns a shared schema with its own description, for `/openapi.json` and docs/fields.md. */
export const described = <T extends TSchema>(schema: T, description: string): T => ({ ...schema, description });

/** Makes a field of a request optional; null means absent. */
export const absent = <T extends TSchema>(schema: T, words: { title: string; description: string }) =>
  Type.Optional(Type.Union([schema, Type.Null()], words));

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

export const callbackFormat = Type.Optional(
  Type.Enum([...callbackFormats], {
    type: 'string',
    default: 'json',
    title: 'Callback Format',
    description: '`json`, or a message for people: for a webhook of Slack, for Workflows of Teams, or as plain text',
  }),
);
