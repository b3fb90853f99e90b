/** The one ranking of what to fix: failed audits, and files that cost points whether an audit fails or not. */
import type { RequestCategory } from '../../contract/names.ts';
import { compareFindings, metricAudits, negligiblePoints } from '../../contract/result/advice.ts';
import { rowsOf } from '../../contract/result/details.ts';
import type { FailedAudit, RankedFinding } from '../../contract/result/result.ts';
import type { Cost } from '../../contract/stored/what-if-order.ts';
import { nameOfFile } from '../../contract/without-query.ts';
import { type RankedAudit, type Ranking, rankAudits, type SimulatedPoints } from './failed-audits.ts';
import type { Lhr } from './lhr.ts';
import { pointsWon } from './usefulness.ts';
import { longTasksOf, toNumber } from './values.ts';

const most = { findings: 12, files: 3, scripts: 8 };

/** Kinds of findings that are not audits, with the audit that has their evidence. */
const kinds = {
  script: 'bootup-time',
  picture: 'image-delivery-insight',
  'third-party': 'third-parties-insight',
  'main-thread': 'mainthread-work-breakdown',
} as const;
type Kind = keyof typeof kinds;

const kindOf = (id: string): Kind | undefined => {
  const [kind = ''] = id.split(':', 1);
  return Object.hasOwn(kinds, kind) ? (kind as Kind) : undefined;
};

/** Min time of a metric that a script is said to cause, and that a fix is said to add, in milliseconds. */
const leastMs = 10;
const leastAddedMs = 50;

type Effect = Pick<Cost['saved'], 'first_contentful_paint' | 'total_blocking_time'>;

/** Says what a script does, of which there may be several. */
function sayWork({ first_contentful_paint: paintMs, total_blocking_time: blockingMs }: Effect, isOne: boolean): string {
  const s = isOne ? 's' : '';
  if (blockingMs >= leastMs) return `block${s} the main thread`;
  return paintMs >= leastMs ? `block${s} the first paint` : `delay${s} the page`;
}

/**
 * Names a finding that is not an audit.
 * @param id `script:URL` and the like, as in a result
 * @param documentUrl inline scripts have this URL
 * @param saved what the fix would save
 */
export function titleOfCost(id: string, documentUrl: string | undefined, saved: Effect): string | undefined {
  const kind = kindOf(id);
  if (!kind) return undefined;
  const name = id.slice(kind.length + 1);
  switch (kind) {
    case 'script':
      return name === documentUrl
        ? `Inline scripts ${sayWork(saved, false)}`
        : `${nameOfFile(name)} ${sayWork(saved, true)}`;
    case 'picture':
      return `${nameOfFile(name)} is a large picture`;
    case 'third-party':
      return `${name} (third party) slows the page down`;
    default:
      return 'Work outside of script files blocks the main thread';
  }
}

/** Lighthouse calls other work `Unattributable`. */
const isFile = (url: unknown): url is string => typeof url === 'string' && /^https?:/.test(url);

/**
 * Estimates what scripts cost by their share of the long tasks, for a load that cannot be simulated, such as one of a
 * PSI server.
 */
function estimateScripts(lhr: Lhr, { disturbance }: Ranking): Cost[] {
  const blockingMs = disturbance?.denied.includes('total_blocking_time')
    ? (disturbance.total_blocking_time ?? 0)
    : (toNumber(lhr.audits['total-blocking-time']?.numericValue) ?? 0);
  const scripts = new Map(rowsOf(lhr, 'bootup-time').map(({ url, scripting }) => [url, toNumber(scripting) ?? 0]));
  const blocked = new Map<string, number>();
  let sum = 0;
  for (const { url, ms } of longTasksOf(lhr)) {
    sum += ms;
    if (isFile(url) && scripts.has(url)) blocked.set(url, (blocked.get(url) ?? 0) + ms);
  }
  return [...blocked]
    .map(([url, ms]): Cost => {
      const saved = sum === 0 ? 0 : (blockingMs * ms) / sum;
      return {
        id: `script:${url}`,
        points: pointsWon(lhr, 'TBT', saved, disturbance),
        saved: { first_contentful_paint: 0, largest_contentful_paint: 0, total_blocking_time: saved, speed_index: 0 },
        files: [url],
        bytes: 0,
        mainThreadMs: scripts.get(url) ?? 0,
      };
    })
    .toSorted((one, other) => other.points - one.points)
    .slice(0, most.scripts);
}

const toTenth = (value: number): number => Math.round(10 * value) / 10;

/** Returns the files of an audit with the largest waste. */
function filesOf(lhr: Lhr, id: string): string[] {
  const wasteOf = (row: Readonly<Record<string, unknown>>) => toNumber(row.wastedBytes) || toNumber(row.wastedMs) || 0;
  const rows = rowsOf(lhr, id).toSorted((one, other) => wasteOf(other) - wasteOf(one));
  const urls = rows.flatMap(({ url }) => (isFile(url) ? [url] : []));
  return [...new Set(urls)].slice(0, most.files);
}

/** @param cost what its fix gains alone in the simulation, if it was simulated */
function toAuditFinding(lhr: Lhr, audit: RankedAudit, cost: Cost | undefined): RankedFinding {
  const { id, title, category, points, savings } = audit;
  const blocking = Math.round(cost?.saved.total_blocking_time ?? 0);
  return {
    id,
    audit: id,
    title,
    category,
    points,
    is_simulated: cost !== undefined,
    files: filesOf(lhr, id),
    // A script that blocks no paint still has its work, which then blocks the main thread.
    savings: blocking <= -leastAddedMs ? { ...savings, total_blocking_time: blocking } : savings,
  };
}

function toCostFinding(lhr: Lhr, { id, points, saved, files, bytes, mainThreadMs }: Cost, isSimulated: boolean) {
  const kind = kindOf(id);
  const title = titleOfCost(id, lhr.mainDocumentUrl ?? lhr.finalUrl, saved);
  if (!kind || title === undefined) return [];
  const { speed_index: _, ...times } = saved;
  const savings = Object.entries(times).flatMap(([name, ms]) => (ms >= 1 ? [[name, Math.round(ms)] as const] : []));
  const found: RankedFinding = {
    id,
    ...(lhr.audits[kinds[kind]] ? { audit: kinds[kind] } : {}),
    title,
    category: 'performance',
    points: toTenth(points),
    is_simulated: isSimulated,
    files: [...files],
    savings: Object.fromEntries(savings),
    ...(bytes > 0 ? { bytes: Math.round(bytes) } : {}),
    ...(mainThreadMs > 0 ? { main_thread_ms: Math.round(mainThreadMs) } : {}),
  };
  return [found];
}

/** Audits of the main thread, whose costs are those of scripts and of the other work. */
const ofMainThread: ReadonlySet<string> = new Set([kinds.script, kinds['main-thread']]);

/** Returns whether the findings of files say what an audit says. */
function isRepeated(id: string, ofFiles: readonly RankedFinding[], simulated: SimulatedPoints): boolean {
  if (ofMainThread.has(id)) return ofFiles.length > 0;
  return !simulated?.has(id) && ofFiles.some(({ audit, points }) => audit === id && points >= negligiblePoints);
}

/**
 * Ranks what to fix.
 * @param costs gains in the simulation of the load; undefined if it was not simulated
 */
export function toFindings(
  lhr: Lhr,
  requested: readonly RequestCategory[],
  { costs, ...ranking }: Omit<Ranking, 'simulated'> & { readonly costs?: readonly Cost[] | undefined },
): { findings: RankedFinding[]; failedAudits: FailedAudit[] } {
  const simulated = costs && new Map(costs.map(({ id, points }) => [id, points]));
  const costOf = new Map(costs?.map(cost => [cost.id, cost]));
  const audits = rankAudits(lhr, requested, { ...ranking, simulated });
  const ofFiles = requested.includes('performance')
    ? (costs ?? estimateScripts(lhr, ranking)).flatMap(cost => toCostFinding(lhr, cost, costs !== undefined))
    : [];
  const isShown = ({ id, error_message: crash }: RankedAudit): boolean =>
    crash === undefined && !metricAudits.has(id) && !isRepeated(id, ofFiles, simulated);
  const findings = [
    ...ofFiles.filter(({ points }) => points >= negligiblePoints),
    ...audits.filter(isShown).map(audit => toAuditFinding(lhr, audit, costOf.get(audit.id))),
  ].toSorted(compareFindings(ranking.scores));
  return {
    findings: findings.slice(0, most.findings),
    failedAudits: audits.map(({ category: _, ...audit }) => audit),
  };
}
