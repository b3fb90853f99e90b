/** Relative names of files: those of two builds are the same if they differ only in the URL of the page. */

import type { LoadFacts } from '../../../contract/result/load-facts.ts';
import { withoutQuery } from '../../../contract/without-query.ts';
import type { Conditions } from './shared-conditions.ts';

export const documentKey = '(document)';
const ownOrigin = '(page)';

/** Creates functions that remove the URL of the page from names of files, and add it again. */
export function createNames(url: string) {
  const { origin } = new URL(url);
  const document = withoutQuery(url);
  const toOwn = (given: string) => (given.startsWith(`${origin}/`) ? given.slice(origin.length) : given);
  return {
    file: (given: string) => (given === document ? documentKey : toOwn(given)),
    fileBack: (name: string) => {
      if (name === documentKey) return document;
      return name.startsWith('/') ? `${origin}${name}` : name;
    },
    origin: (given: string) => (given === origin ? ownOrigin : given),
    originBack: (name: string) => (name === ownOrigin ? origin : name),
  };
}

const rename = <T>(record: Readonly<Record<string, T>>, toName: (name: string) => string): Record<string, T> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [toName(name), value]));

export const toFileUrl = (name: string, pageUrl: string): string => createNames(pageUrl).fileBack(name);

/** @param url URL of the page that was loaded */
export function toRelative(facts: LoadFacts, url: string): LoadFacts {
  const names = createNames(url);
  return { ...facts, files: rename(facts.files, names.file), latencyMs: rename(facts.latencyMs, names.origin) };
}

/** Replaces relative names in conditions with URLs, for a load of the page at `url`. */
export function toAbsolute(conditions: Conditions, url: string): Conditions {
  const names = createNames(url);
  return {
    ...conditions,
    scenarios: conditions.scenarios.map(places => rename(places, names.fileBack)),
    latencyMs: rename(conditions.latencyMs, names.originBack),
  };
}
