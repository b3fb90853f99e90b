/** Fields that the schemas of several requests and responses share. */
import Type, { type TSchema } from 'typebox';
import { maxLabelCharacters } from './names.ts';

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** A shared schema with its own description, for `/openapi.json` and docs/fields.md. */
export const described = <T extends TSchema>(schema: T, description: string): T => ({ ...schema, description });

/** An optional field of a request; null means absent. */
export const absent = <T extends TSchema>(schema: T, words: { title: string; description: string }) =>
  Type.Optional(Type.Union([schema, Type.Null()], words));

/** One line of text without control characters; empty means absent. */
export const labelFormat = 'label';
export const labelText = { maxLength: maxLabelCharacters, format: labelFormat };

/** A string with this format is read as the URL of a page: strictly, and into its canonical form. */
export const pageUrlFormat = 'uri';

/** A time of ISO 8601, or a day. */
export const timeFormat = 'date-time';
export const time = Type.String({ format: timeFormat });

/** PostgreSQL stores no U+0000, and no database stores half of a surrogate pair. */
export const isStorableText = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
