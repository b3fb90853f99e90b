/** Converts Lighthouse's `budget.json` to assertions. */
import { toHint } from '../../../contract/nearest-name.ts';
import { isObject } from '../../../contract/result/details.ts';
import { UsageError } from '../../input/usage-error.ts';
import { metricAudits } from './known-audits.ts';
import type { PlacedText, Source } from './source.ts';

type Json = Record<string, unknown>;

export const resourceTypes = [
  ...(['total', 'document', 'script', 'stylesheet', 'image', 'media', 'font', 'other', 'third-party'] as const),
];

/**
 * Converts a path of a budget to a URL pattern: `*` is anything, `$` the end; a path without `$` matches everything
 * below it.
 */
const toBudgetPages = (path: unknown): string => {
  const text = typeof path === 'string' && path !== '' ? path : '/';
  if (text.endsWith('$')) return text.slice(0, -1);
  return text.endsWith('*') ? text : `${text}*`;
};

const timings = [...metricAudits];

/** Lists of a budget: the key of a row, its possible values, and the assertion of its limit. */
const lists = {
  resourceSizes: { key: 'resourceType', known: resourceTypes, toText: (name: string) => `${name}-size`, unit: 'KiB' },
  resourceCounts: { key: 'resourceType', known: resourceTypes, toText: (name: string) => `${name}-count`, unit: '' },
  timings: { key: 'metric', known: timings, toText: (name: string) => name, unit: '' },
} as const;

/**
 * Returns the assertions of a budget.json, in which sizes are KiB and times are milliseconds. Source:
 * GoogleChrome/budget.json and lighthouse 11 core/config/budget.js.
 * @throws UsageError with every fault
 */
export function fromBudgets({ path, value, lineOf }: Source): { asserts: PlacedText[]; notes: string[] } {
  if (!Array.isArray(value)) throw new UsageError([`${path}:1: a budget.json must be a list; put [ ] around it`]);
  const faults: string[] = [];
  const notes: string[] = [];
  const readRow = (name: keyof typeof lists, row: Json, at: string): string => {
    const { key, known, toText, unit } = lists[name];
    const given = String(row[key]);
    if (!(known as readonly string[]).includes(given))
      faults.push(`${at}: unknown ${key} '${given}'${toHint(given, known) || `; choose from ${known.join(', ')}`}`);
    if (typeof row.budget !== 'number') faults.push(`${at}: "budget" is not a number; write it without quotes or unit`);
    return `${toText(given)}<=${row.budget}${unit}`;
  };
  const pagesOf = value.map(budget => toBudgetPages(isObject(budget) ? budget.path : undefined));
  const asserts = value.flatMap((budget, index) => {
    if (!isObject(budget)) {
      faults.push(`${lineOf(`/${index}`)}: a budget must be an object; write { "resourceSizes": [ … ] }`);
      return [];
    }
    if (budget.options !== undefined)
      notes.push(
        `${lineOf(`/${index}/options`)}: options.firstPartyHostnames is not used; Lighthouse identifies third parties itself.`,
      );
    // Lighthouse applies the last budget that matches a page.
    const laterPages = pagesOf.slice(index + 1);
    return (Object.keys(lists) as (keyof typeof lists)[]).flatMap(name =>
      (Array.isArray(budget[name]) ? budget[name].filter(isObject) : []).map((row, at) => {
        const place = lineOf(`/${index}/${name}/${at}`);
        return { text: `${pagesOf[index]} ${readRow(name, row, place)}`, at: place, laterPages };
      }),
    );
  });
  if (faults.length > 0) throw new UsageError(faults);
  return { asserts, notes };
}
