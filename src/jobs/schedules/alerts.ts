/**
 * Decides which changes of a history a message names: each lasting change once, and its end once. The history finds
 * changes as somebody would who looks at it after every point, so a schedule asks it after every run.
 */
import type { ReadHistory } from '../../analysis/stored/read-history.ts';
import type { History, HistoryChange } from '../../contract/stored/history.ts';
import { isMeasuredOtherwise } from '../../explain/change/differences.ts';
import { smallestEffectOf, toSmallest } from '../../explain/statistics/smallest-effect.ts';
import { mostRuns } from '../../measure/lhr/runs.ts';
import { StoreFaultError } from '../../storage/database/fault.ts';
import type { ResultStore } from '../../storage/results/store.ts';
import type { PagePart, PageRow } from '../job.ts';

/**
 * The last change of a page that a message named. `isOver`: the values before it are back, which was named, too, or the
 * machine or the way of measuring is another one since, so that values show no end.
 */
type Alert = Pick<HistoryChange, 'status' | 'before'> & { readonly seenAtMs: number; readonly isOver: boolean };

/** Alerts by page, strategy and source. */
export type Alerts = Readonly<Record<string, Alert>>;

export type AlertHistory = Pick<History, 'unit' | 'change_points' | 'machine_changes' | 'segments'>;

/** A change to name. An end has no change point if the history took both ends for an outlier. */
export type Alarm = {
  readonly isEnd: boolean;
  readonly change: HistoryChange | undefined;
  /** Median since the change. */
  readonly level: number;
  readonly before: number;
};

const isKnown = (alert: Alert | undefined, { status, fetched_at: time }: HistoryChange): boolean =>
  // Later points may date a change one or two points earlier or later: it is the same one.
  alert !== undefined && Date.parse(time) <= alert.seenAtMs && (alert.isOver || status === alert.status);

const isNear = (one: number, other: number): boolean =>
  Math.abs(one - other) < toSmallest(smallestEffectOf('performance'), other);

/**
 * Returns what to name after a run, and what to remember.
 * @param sinceMs changes before this time are old news
 * @param nowMs time of the newest point
 */
export function toAlarm(
  history: AlertHistory,
  alert: Alert | undefined,
  { sinceMs, nowMs }: { sinceMs: number; nowMs: number },
): { alarm: Alarm | undefined; alert: Alert } | undefined {
  const change = history.change_points.findLast(found => !isMeasuredOtherwise(found));
  const level = history.segments.at(-1)?.median;
  if (level === undefined) return undefined;
  const moves = [...history.machine_changes, ...history.change_points.filter(isMeasuredOtherwise)];
  const isMoved = moves.some(({ fetched_at: time }) => alert && Date.parse(time) > alert.seenAtMs);
  const known = alert && { ...alert, isOver: alert.isOver || isMoved };
  const end = change && change.status !== known?.status ? change : undefined;
  // A page that got worse again after it got better has no end, but a change.
  const isEnd = known?.status === 'worse' || !end;
  if (known && !known.isOver && isEnd && isNear(level, known.before)) {
    const { before } = known;
    return {
      alarm: { isEnd: true, change: end, level, before },
      alert: { ...known, seenAtMs: nowMs, isOver: true },
    };
  }
  if (!change || isKnown(known, change) || Date.parse(change.fetched_at) < sinceMs)
    return known && { alarm: undefined, alert: known };
  const { status, before } = change;
  return { alarm: { isEnd: false, change, level, before }, alert: { status, before, seenAtMs: nowMs, isOver: false } };
}

type ShownPage = Pick<History, 'url' | 'strategy' | 'source' | 'label'> & {
  readonly conditions: string | null;
  /** Runs of each point. */
  readonly runs: number | 'auto';
};

/** Reads the newest points of the history of a page; undefined if it cannot be read. */
export type ReadShown = (of: ShownPage, signal: AbortSignal) => Promise<AlertHistory | undefined>;

/** Newest points of a history that count. A change of long ago has been named. */
const points = 200;

export const createReadShown =
  (readHistory: ReadHistory, store: ResultStore): ReadShown =>
  async ({ runs, ...of }, signal) => {
    const limit = points * (runs === 'auto' ? mostRuns : runs);
    const wanted = { ...of, metric: 'performance', since: null, until: null, format: 'json', limit } as const;
    try {
      const bytes = await readHistory(store, wanted, { client: 'schedules', signal });
      return JSON.parse(new TextDecoder().decode(bytes)) as History;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof StoreFaultError) throw error;
      return undefined;
    }
  };

/** An alarm with its page. */
export type PageAlarm = Alarm & Pick<History, 'url' | 'strategy' | 'source' | 'unit'>;

/** Key of the alert of a page. */
export const toKey = ({ strategy, source, url }: { strategy: string; source: string; url: string }): string =>
  `${strategy} ${source} ${url}`;

type MeasuredPart = PagePart & Pick<PageRow, 'url'>;

/** The stored parts of pages, each URL once. */
async function* toParts(pages: AsyncIterable<PageRow>): AsyncGenerator<MeasuredPart> {
  for await (const { url, outcome, sameAs } of pages)
    if (sameAs === null) for (const part of outcome?.parts ?? []) yield { ...part, url };
}

/** Decides about all pages of a run. A load that other work disturbed decides nothing. */
export async function findAlarms(
  pages: AsyncIterable<PageRow>,
  wanted: Pick<ShownPage, 'label' | 'conditions' | 'runs'> & { readShown: ReadShown; sinceMs: number },
  earlier: Alerts,
  { nowMs, signal }: { nowMs: number; signal: AbortSignal },
): Promise<{ alarms: PageAlarm[]; alerts: Alerts }> {
  const { readShown, sinceMs, ...measured } = wanted;
  const alarms: PageAlarm[] = [];
  // A page that failed in this run has no part, and its alert stays.
  const alerts: Record<string, Alert> = { ...earlier };
  for await (const { url, source, strategy, id, disturbed } of toParts(pages)) {
    if (id === null || disturbed === true) continue;
    const key = toKey({ strategy, source, url });
    const history = await readShown({ url, strategy, source, ...measured }, signal);
    const found = history && toAlarm(history, earlier[key], { sinceMs, nowMs });
    if (!found) continue;
    alerts[key] = found.alert;
    if (found.alarm) alarms.push({ ...found.alarm, url, strategy, source, unit: history.unit });
  }
  return { alarms, alerts };
}
