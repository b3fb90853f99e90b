/** Work of the main thread by script and by third party. */

import { isObject, itemsOf, rowsOf } from '../../contract/result/details.ts';
import { numberOf, textOf, type Whole } from './read.ts';
import { toThirdPartyOf } from './requests.ts';

export type ScriptTime = ReturnType<typeof toScriptTimes>[number];

/** Returns script times, longest first, including simulated CPU throttling; empty if the analyser sent none. */
export function toScriptTimes(whole: Whole) {
  const thirdPartyOf = toThirdPartyOf(whole);
  return rowsOf(whole, 'bootup-time')
    .flatMap(({ url, total, scripting, scriptParseCompile }) => {
      const totalMs = numberOf(total);
      if (totalMs === undefined || textOf(url) === '') return [];
      return [
        {
          url: textOf(url),
          entity: thirdPartyOf(textOf(url)),
          totalMs,
          scriptingMs: numberOf(scripting) ?? 0,
          parsingMs: numberOf(scriptParseCompile) ?? 0,
        },
      ];
    })
    .toSorted((a, b) => b.totalMs - a.totalMs);
}

const nameOf = (entity: unknown): string => (isObject(entity) ? textOf(entity.text) : textOf(entity));

export type ThirdParty = ReturnType<typeof toThirdParties>[number];

/** Returns third parties, largest first: by main-thread time, then by bytes. */
export const toThirdParties = (whole: Whole) =>
  ['third-parties-insight', 'third-party-summary']
    .map(id => rowsOf(whole, id))
    .find(rows => rows.length > 0)
    ?.flatMap(({ entity, transferSize, mainThreadTime, subItems }) => {
      const name = nameOf(entity);
      const urls = itemsOf(subItems).flatMap(({ url }) => textOf(url) || []);
      return name === '' ? [] : [{ name, bytes: numberOf(transferSize), mainThreadMs: numberOf(mainThreadTime), urls }];
    })
    .toSorted((a, b) => (b.mainThreadMs ?? 0) - (a.mainThreadMs ?? 0) || (b.bytes ?? 0) - (a.bytes ?? 0)) ?? [];
