/** Work of the main thread by script and by third party. */

import { isObject, itemsOf, rowsOf } from '../../contract/result/details.ts';
import { numberOf, textOf, type Whole } from './read.ts';
import { toEntityOf } from './requests.ts';

export type ScriptTime = {
  readonly url: string;
  readonly entity: string | undefined;
  readonly totalMs: number;
  readonly scriptingMs: number;
  readonly parsingMs: number;
};

/** Returns script times, longest first, including simulated CPU throttling; empty if the analyser sent none. */
export function toScriptTimes(whole: Whole): ScriptTime[] {
  const entityOf = toEntityOf(whole);
  return rowsOf(whole, 'bootup-time')
    .flatMap(({ url, total, scripting, scriptParseCompile }): ScriptTime[] => {
      const totalMs = numberOf(total);
      if (totalMs === undefined || textOf(url) === '') return [];
      const entity = entityOf(textOf(url));
      return [
        {
          url: textOf(url),
          entity: entity?.isThirdParty ? entity.name : undefined,
          totalMs,
          scriptingMs: numberOf(scripting) ?? 0,
          parsingMs: numberOf(scriptParseCompile) ?? 0,
        },
      ];
    })
    .toSorted((a, b) => b.totalMs - a.totalMs);
}

export type ThirdParty = {
  readonly name: string;
  readonly bytes: number | undefined;
  readonly mainThreadMs: number | undefined;
  readonly urls: readonly string[];
};

const nameOf = (entity: unknown): string => (isObject(entity) ? textOf(entity.text) : textOf(entity));

/** Returns third parties, largest first: by main-thread time, then by bytes. */
export const toThirdParties = (whole: Whole): ThirdParty[] =>
  ['third-parties-insight', 'third-party-summary']
    .map(id => rowsOf(whole, id))
    .find(rows => rows.length > 0)
    ?.flatMap(({ entity, transferSize, mainThreadTime, subItems }) => {
      const name = nameOf(entity);
      const urls = itemsOf(subItems).flatMap(({ url }) => textOf(url) || []);
      return name === '' ? [] : [{ name, bytes: numberOf(transferSize), mainThreadMs: numberOf(mainThreadTime), urls }];
    })
    .toSorted((a, b) => (b.mainThreadMs ?? 0) - (a.mainThreadMs ?? 0) || (b.bytes ?? 0) - (a.bytes ?? 0)) ?? [];
