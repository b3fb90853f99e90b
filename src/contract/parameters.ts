/** Fields of requests. Each gets a title in `/openapi.json`: its name, unless it states another one. */
import Type, { type TObjectOptions, type TProperties, type TSchema } from 'typebox';
import { pageUrlFormat } from './fields.ts';
import { callbackFormats } from './names.ts';

const toTitle = (name: string): string =>
  name.replaceAll(/(?:^|_)(\w)/g, (_, letter) => ` ${letter.toUpperCase()}`).trim();

export const titled = <T extends TProperties>(fields: T): T =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => {
      const field = { title: toTitle(name), ...schema };
      return [name, Type.IsOptional(schema) ? Type.Optional(field) : field];
    }),
  ) as TProperties as T;

export const parameters = <T extends TProperties>(fields: T) => Type.Object(titled(fields));

/** Returns a body, which has a name of its own in `/openapi.json`. */
export const body = <T extends TProperties>($id: string, fields: T, options: TObjectOptions = {}) =>
  Type.Object(titled(fields), { $id, title: $id, ...options });

type Words = string | { readonly title: string; readonly description: string };

/** Makes a field optional; null means absent. */
export const absent = <T extends TSchema>(schema: T, words: Words) =>
  Type.Optional(Type.Union([schema, Type.Null()], typeof words === 'string' ? { description: words } : words));

export const names = <const T extends readonly string[]>(values: T) =>
  Type.Enum<[...T]>([...values], { type: 'string' });

export const choice = <const T extends readonly string[]>(values: T, usual: T[number], description: string) =>
  Type.Optional(Type.Enum<[...T]>([...values], { type: 'string', default: usual, description }));

export const range = (minimum: number, maximum: number, usual: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum, default: usual, description }));

export const toggle = (description: string) => Type.Optional(Type.Boolean({ default: false, description }));

export const pageUrl = (description?: string) =>
  Type.String({ format: pageUrlFormat, ...(description === undefined ? {} : { description }) });

export const callbackFormat = choice(
  callbackFormats,
  'json',
  '`json`, or a message for people: for a webhook of Slack, for Workflows of Teams, or as plain text',
);
