/** The table of sites: its values, its order, and its groups by route template. */

import { toRouteTemplates } from '../../../contract/route-templates.ts';
import type { SitePage } from '../../../contract/stored/sites.ts';
import { isDisturbed } from '../../../presentation/undisturbed.ts';
import { medianOf, toSorted } from '../../../presentation/values.ts';
import { isTableMetric, type TableMetric } from '../../../presentation/words.ts';

export type SiteKey = 'page' | 'performance' | TableMetric | 'change' | 'time';

/** `isReversed`: best, oldest, or last in the alphabet first. */
export type SiteSorting = { readonly by: SiteKey; readonly isReversed: boolean };

/** Pages of one template with the same device and source; `template` is absent for those that are too few. */
export type SiteGroup = { readonly template?: string; readonly pages: readonly SitePage[] };

/** Min number of pages that are displayed as one line of their template. */
const minGrouped = 5;

const siteValue = ({ last, change }: SitePage, key: SiteKey): number | null => {
  if (key === 'change') return change && change.after - change.before;
  if (!last || key === 'page') return null;
  if (key === 'time') return Date.parse(last.time);
  // The score of a disturbed load says nothing about its page.
  if (isDisturbed(last)) return null;
  return isTableMetric(key) ? last.metrics[key] : last.performance;
};

/** Returns the median of the pages, and the worst of them; null without a value. */
export function summarise(pages: readonly SitePage[], key: SiteKey): { median: number; worst: number } | null {
  const values = toSorted(pages.map(page => siteValue(page, key)));
  const worst = isTableMetric(key) ? values.at(-1) : values[0];
  return worst === undefined ? null : { median: medianOf(values), worst };
}

const laneOf = ({ source, strategy, conditions }: SitePage): string => `${source} ${strategy} ${conditions}`;

/** Groups the pages of one site: those of a template into one group, every other page into its own. */
function toGroups(pages: readonly SitePage[]): SiteGroup[] {
  const templates = toRouteTemplates([...new Set(pages.map(({ url }) => url))]);
  const known = new Map(templates.flatMap(({ template, urls }) => urls.map(url => [url, template] as const)));
  const groups = Map.groupBy(pages, page => `${laneOf(page)} ${known.get(page.url)}`);
  return [...groups.values()].flatMap((own): SiteGroup[] => {
    const template = own[0] && known.get(own[0].url);
    if (own.length < minGrouped || template === undefined) return own.map(page => ({ pages: [page] }));
    return [{ template, pages: own }];
  });
}

const isWorstHigh = (key: SiteKey): boolean => key === 'time' || isTableMetric(key);

const newestOf = ({ pages }: SiteGroup): number | undefined =>
  pages.flatMap(page => siteValue(page, 'time') ?? []).toSorted((a, b) => b - a)[0];

/** Sorts groups by the median of a value, or the newest result: worst, newest, or first in the alphabet first; without a value last. */
function orderGroups(groups: readonly SiteGroup[], { by, isReversed }: SiteSorting): SiteGroup[] {
  const direction = isReversed === isWorstHigh(by) ? 1 : -1;
  const nameOf = ({ template, pages }: SiteGroup) => template ?? pages[0]?.url ?? '';
  if (by === 'page') return groups.toSorted((a, b) => -direction * (nameOf(a) < nameOf(b) ? 1 : -1));
  return groups
    .map(group => ({ group, value: by === 'time' ? newestOf(group) : summarise(group.pages, by)?.median }))
    .sort((a, b) => {
      if (a.value === undefined || b.value === undefined)
        return Number(a.value === undefined) - Number(b.value === undefined);
      return direction * (a.value - b.value);
    })
    .map(({ group }) => group);
}

const orderPages = (pages: readonly SitePage[], sorting: SiteSorting): SitePage[] =>
  orderGroups(
    pages.map(page => ({ pages: [page] })),
    sorting,
  ).flatMap(group => group.pages);

/** Returns the sites in the order of the pages, and the groups of each, and their pages, in their own order. */
export const toSiteGroups = (pages: readonly SitePage[], sorting: SiteSorting): [host: string, SiteGroup[]][] =>
  [...Map.groupBy(pages, ({ host }) => host)].map(([host, own]) => [
    host,
    orderGroups(toGroups(orderPages(own, sorting)), sorting),
  ]);

export const newestFirst: SiteSorting = { by: 'time', isReversed: false };

/** Returns the next order: a second click reverses it. */
export const nextSorting = (now: SiteSorting, by: SiteKey): SiteSorting => ({
  by,
  isReversed: now.by === by && !now.isReversed,
});
