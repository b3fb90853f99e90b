/** Computes totals of a list: medians, numbers of good and poor pages, and common findings. */
import type { PageRequest } from '../../../api-client/page-request.ts';
import type { Source } from '../../../contract/errors.ts';
import type { Strategy } from '../../../contract/names.ts';
import { type Rating, toLabRating } from '../../../contract/result/thresholds.ts';
import { toRouteTemplates } from '../../../contract/route-templates.ts';
import type { Column } from '../../../presentation/answer.ts';
import { groupFindings, sayEffect } from '../../../presentation/findings/findings.ts';
import { rateScore } from '../../../presentation/metric-range.ts';
import { medianOf, toSorted } from '../../../presentation/values.ts';
import { isTableMetric } from '../../../presentation/words.ts';
import { keysOf, readPageValue, strategiesOf, type TableLine, type ValueKey } from './batch-table.ts';

export type Total = {
  readonly key: ValueKey;
  /** Median of the pages; null until one has a value. */
  readonly median: number | null;
  readonly rating: Rating | null;
  readonly counts: Readonly<Record<Rating, number>>;
};

/** Totals of one side with one strategy: values of several are never mixed. */
export type TotalGroup = {
  readonly source: Source;
  readonly strategy: Strategy;
  readonly totals: readonly Total[];
};

const sourcesOf: Readonly<Record<PageRequest['backend'], readonly Source[]>> = {
  remote: ['psi'],
  local: ['lighthouse'],
  compare: ['psi', 'lighthouse'],
};

const rate = (key: ValueKey, value: number, strategy: Strategy): Rating =>
  isTableMetric(key) ? toLabRating(key, value, strategy) : rateScore(value);

/** Rounds a median of scores, which may be between two. */
const toShown = (key: ValueKey, median: number): number => (isTableMetric(key) ? median : Math.round(median));

function toTotal(key: ValueKey, columns: readonly Column[], strategy: Strategy): Total {
  const values = toSorted(columns.map(({ part }) => readPageValue(part, key)));
  const counts = { good: 0, 'needs-improvement': 0, poor: 0 };
  for (const value of values) counts[rate(key, value, strategy)] += 1;
  const median = values.length === 0 ? null : toShown(key, medianOf(values));
  return { key, median, rating: median === null ? null : rate(key, median, strategy), counts };
}

/** Returns all groups and values from the first row on, so that nothing moves when results arrive. */
export function toTotals(lines: readonly TableLine[], { backend, strategy, categories }: PageRequest): TotalGroup[] {
  // Fractions of different audits have no meaningful median.
  const keys = keysOf({ categories }).filter(key => key !== 'agentic-browsing');
  const columns = lines.flatMap(line => line.columns);
  return strategiesOf({ strategy }).flatMap(device =>
    sourcesOf[backend].map(source => {
      const own = columns.filter(column => column.source === source && column.strategy === device);
      return { source, strategy: device, totals: keys.map(key => toTotal(key, own, device)) };
    }),
  );
}

/** Performance of the pages of one route template, on one side with one strategy. */
export type TemplateTotal = Omit<TotalGroup, 'totals'> & {
  readonly template: string;
  readonly pages: number;
  readonly measured: number;
  readonly median: number;
  readonly worst: number;
};

/** Returns route templates with several pages, the slowest first; none if there is only one. */
export function toTemplateTotals(lines: readonly TableLine[], request: PageRequest): TemplateTotal[] {
  const templates = toRouteTemplates([...new Set(request.urls)]);
  if (templates.length < 2 || !request.categories.includes('performance')) return [];
  const totals = templates
    .filter(({ urls }) => urls.length > 1)
    .flatMap(({ template, urls }) => {
      const own = new Set(urls);
      const columns = lines.filter(({ row }) => own.has(row.url)).flatMap(line => line.columns);
      return [...Map.groupBy(columns, ({ source, strategy }) => `${source} ${strategy}`).values()].flatMap(lane => {
        const scores = toSorted(lane.map(({ part }) => readPageValue(part, 'performance')));
        const [[first], [worst]] = [lane, scores];
        if (!first || worst === undefined) return [];
        const { source, strategy } = first;
        const median = Math.round(medianOf(scores));
        return [{ source, strategy, template, pages: urls.length, measured: scores.length, median, worst }];
      });
    });
  return totals.toSorted((a, b) => a.median - b.median);
}

export type CommonFinding = {
  readonly id: string;
  readonly title: string;
  /** Pages with this finding. */
  readonly urls: readonly string[];
  /** Page on which a fix gains the most points or savings, and that effect; undefined without an estimate. */
  readonly worst: { readonly url: string; readonly effect: string } | undefined;
};

const maxCommon = 10;

type Known = { title: string; urls: Set<string>; points: number; saving: number; worst: CommonFinding['worst'] };

/** Returns every finding of a list with its page. */
const findingsIn = (lines: readonly TableLine[]) =>
  lines.flatMap(({ row, columns }) =>
    columns.flatMap(({ part }) =>
      part.ok
        ? groupFindings(part.result).flatMap(({ findings }) =>
            findings.map(finding => ({ finding, url: row.url, result: part.result })),
          )
        : [],
    ),
  );

/** Returns findings of several pages: those on most pages first, then by points on one page, then by savings. */
export function toCommonFindings(lines: readonly TableLine[]): CommonFinding[] {
  const found = new Map<string, Known>();
  for (const { finding, url, result } of findingsIn(lines)) {
    const { id, title, savings, points = 0 } = finding;
    const known = found.get(id) ?? { title, urls: new Set(), points: 0, saving: 0, worst: undefined };
    known.urls.add(url);
    const saving = Math.max(0, ...Object.values(savings));
    if (points > known.points || (points === known.points && saving > known.saving)) {
      const effect = sayEffect(finding, result);
      known.points = points;
      known.saving = saving;
      known.worst = effect === undefined ? undefined : { url, effect };
    }
    found.set(id, known);
  }
  return [...found]
    .filter(([, { urls }]) => urls.size > 1)
    .sort(([, a], [, b]) => b.urls.size - a.urls.size || b.points - a.points || b.saving - a.saving)
    .slice(0, maxCommon)
    .map(([id, { title, urls, worst }]) => ({ id, title, urls: [...urls], worst }));
}
