/** Requests whose JSON answer the page reads, and one table of the API's addresses. */
import { isObject } from '../contract/result/details.ts';
import type { FailureReason } from '../presentation/errors-in-words.ts';
import { type AskOptions, askForPage } from './ask-service.ts';
import type { ServiceCall } from './plan.ts';

/** Addresses are relative, because the page may be served below a prefix. An empty parameter is left out. */
const toAddress = (path: string, query: Readonly<Record<string, string | number | undefined>>): string => {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value ? [[name, `${value}`]] : [],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
};

const toOne =
  (collection: string) =>
  (id: string, part?: string): string =>
    `${collection}/${encodeURIComponent(id)}${part === undefined ? '' : `/${part}`}`;

const toList = (path: string) => (query: Readonly<Record<string, string | number | undefined>>) =>
  toAddress(path, query);

export const addresses = {
  result: toOne('results'),
  fullResult: (id: string) => `${toOne('results')(id)}?detailed=true`,
  results: toList('results'),
  comparison: toList('compare-results'),
  history: toList('history'),
  sites: toList('sites'),
  schedule: toOne('schedules'),
  schedules: toList('schedules'),
  job: toOne('jobs'),
  jobs: toList('jobs'),
  experiment: toOne('experiments'),
  experiments: 'experiments',
  sitemap: toList('sitemap'),
  health: 'health',
} as const;

export type ReadBody<T> =
  | { readonly ok: true; readonly body: T }
  | { readonly ok: false; readonly failure: FailureReason };

export const unreadable: FailureReason = { kind: 'unreadable', status: 200 };

/** @throws only the signal's reason */
export async function ask<T>(call: Omit<ServiceCall, 'lanes'>, options: AskOptions): Promise<ReadBody<T>> {
  const reply = await askForPage({ ...call, lanes: [] }, () => {}, options);
  return reply.ok ? { ok: true, body: reply.body as T } : { ok: false, failure: reply.failure };
}

/**
 * Reads an object that has these members. They are checked without its schema, which the page does not load.
 * @throws only the signal's reason
 */
export async function get<T extends object>(
  path: string,
  members: readonly (keyof T & string)[],
  options: AskOptions,
): Promise<ReadBody<T>> {
  const read = await ask<T>({ method: 'GET', path }, options);
  if (!read.ok) return read;
  const { body } = read;
  return isObject(body) && members.every(name => name in body) ? read : { ok: false, failure: unreadable };
}

/** Reads the device in a URL; mobile if it is absent or unknown. */
export const strategyIn = (params: URLSearchParams) => (params.get('strategy') === 'desktop' ? 'desktop' : 'mobile');

/** Reads the analyser in a URL; local Lighthouse if it is absent or unknown. */
export const sourceIn = (params: URLSearchParams) => (params.get('source') === 'psi' ? 'psi' : 'lighthouse');
