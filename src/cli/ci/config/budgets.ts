/** Reads Lighthouse's `budget.json`, and converts it to assertions. */
import { toChoiceHint } from '../../../contract/nearest-name.ts';
import { isObject, type Json } from '../../../contract/result/details.ts';
import { UsageError } from '../../input/usage-error.ts';
import { metricAudits, removedMetrics } from './known-audits.ts';
import type { ConfigSource, PlacedText } from './source.ts';

export const resourceTypes = 'total document script stylesheet image media font other third-party'.split(' ');

/** Lists of a budget: the key of a row, and its possible values. */
const lists = {
  resourceSizes: { key: 'resourceType', known: resourceTypes },
  resourceCounts: { key: 'resourceType', known: resourceTypes },
  timings: { key: 'metric', known: [...metricAudits, 'max-potential-fid'] },
} as const;
type ListName = keyof typeof lists;
const listNames = Object.keys(lists) as ListName[];

type BudgetRow = { readonly list: ListName; readonly name: string; readonly limit: number; readonly at: string };
type BudgetFile = { readonly path: string | undefined; readonly rows: readonly BudgetRow[] };

/**
 * Reads a budget.json, in which sizes are KiB and times are milliseconds. Source: GoogleChrome/budget.json and
 * lighthouse 11 core/config/budget.js.
 * @throws UsageError with every fault
 */
export function readBudgetFile({ path, value, lineOf }: ConfigSource): { budgets: BudgetFile[]; notes: string[] } {
  if (!Array.isArray(value)) throw new UsageError([`${path}:1: a budget.json must be a list; put [ ] around it`]);
  const faults: string[] = [];
  const notes: string[] = [];
  const refuseOthers = (given: Json, pointer: string, known: readonly string[]): void => {
    for (const name of Object.keys(given).filter(name => !known.includes(name)))
      faults.push(`${lineOf(`${pointer}/${name}`)}: unknown setting '${name}'${toChoiceHint(name, known)}`);
  };
  const readRow = (list: ListName, row: Json, pointer: string): BudgetRow[] => {
    const { key, known } = lists[list];
    const [name, limit, at] = [String(row[key]), row.budget, lineOf(pointer)];
    refuseOthers(row, pointer, [key, 'budget']);
    if (list === 'timings' && removedMetrics.has(name) && !(known as readonly string[]).includes(name)) {
      notes.push(`${at}: Lighthouse has removed the metric ${name}. Its budget is left out.`);
      return [];
    }
    if (!(known as readonly string[]).includes(name))
      faults.push(`${at}: unknown ${key} '${name}'${toChoiceHint(name, known)}`);
    if (typeof limit === 'number') return [{ list, name, limit, at }];
    faults.push(`${at}: "budget" is not a number; write it without quotes or unit`);
    return [];
  };
  const budgets = value.map((budget: unknown, index): BudgetFile => {
    if (!isObject(budget)) {
      faults.push(`${lineOf(`/${index}`)}: a budget must be an object; write { "resourceSizes": [ … ] }`);
      return { path: undefined, rows: [] };
    }
    refuseOthers(budget, `/${index}`, ['path', 'options', ...listNames]);
    if (budget.path !== undefined && !/^\/[^*$]*\*?[^*$]*\$?$/.test(String(budget.path)))
      faults.push(`${lineOf(`/${index}/path`)}: a path starts with /, and has one * and a $ at its end at most`);
    if (budget.options !== undefined)
      notes.push(
        `${lineOf(`/${index}/options`)}: options.firstPartyHostnames is not used; Lighthouse identifies third parties itself.`,
      );
    const rows = listNames.flatMap(list => {
      const given = budget[list] ?? [];
      if (Array.isArray(given) && given.every(isObject))
        return given.flatMap((row, at) => readRow(list, row, `/${index}/${list}/${at}`));
      faults.push(`${lineOf(`/${index}/${list}`)}: ${list} must be a list of objects; write it in [ ]`);
      return [];
    });
    return { path: budget.path === undefined ? undefined : String(budget.path), rows };
  });
  if (faults.length > 0) throw new UsageError(faults);
  return { budgets, notes };
}

/** Converts a path of a budget to a URL pattern: `$` is its end; without `$`, it matches everything below it. */
const toBudgetPages = (path = '/'): string => {
  if (path.endsWith('$')) return path.slice(0, -1);
  return path.endsWith('*') ? path : `${path}*`;
};

const toText = ({ list, name, limit }: BudgetRow): string => {
  if (list === 'timings') return `${name}<=${limit}`;
  return list === 'resourceSizes' ? `${name}-size<=${limit}KiB` : `${name}-count<=${limit}`;
};

/** Returns the assertions of `budgets`. As in Lighthouse, the last budget that matches a page applies. @throws UsageError */
export function fromBudgets(source: ConfigSource): { asserts: PlacedText[]; notes: string[] } {
  const { budgets, notes } = readBudgetFile(source);
  const pages = budgets.map(({ path }) => toBudgetPages(path));
  const isOther = ({ list, name }: BudgetRow) => list === 'timings' && !metricAudits.has(name);
  const others = budgets.flatMap(({ rows }) => rows.filter(isOther));
  return {
    notes: [
      ...notes,
      ...others.map(({ at, name }) => `${at}: ${name} is no metric of a result. Its budget is left out.`),
    ],
    asserts: budgets.flatMap(({ rows }, index) =>
      rows
        .filter(row => !isOther(row))
        .map(row => ({
          text: `${pages[index]} ${toText(row)}`,
          at: row.at,
          laterPages: pages.slice(index + 1),
        })),
    ),
  };
}

/** Returns the regular expression of a budget's path, as Lighthouse CI builds it. */
const toUrlPattern = (path: string | undefined): string =>
  path === undefined || path === '/'
    ? '.*'
    : `https?://[^/]+${path
        .split('*')
        .map(part => part.replaceAll(/[-[\]{}()+?.,\\^|#\s]/g, '\\$&'))
        .join('.*')}`;

/** Returns the budgets of `assert.budgetsFile` as Lighthouse CI asserts them: every budget that matches a page applies. */
export const toBudgetMatrix = (
  budgets: readonly BudgetFile[],
): { matchingUrlPattern: string; assertions: { id: string; limit: number; at: string }[] }[] =>
  budgets.map(({ path, rows }) => ({
    matchingUrlPattern: toUrlPattern(path),
    assertions: rows.map(({ list, name, limit, at }) => {
      if (list === 'timings') return { id: name, limit, at };
      const [unit, factor] = list === 'resourceSizes' ? ['size', 1024] : ['count', 1];
      return { id: `resource-summary:${name}:${unit}`, limit: factor * limit, at };
    }),
  }));
