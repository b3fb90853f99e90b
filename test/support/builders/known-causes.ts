/**
 * Small Lighthouse results of pages with a known fault, in the shape of Lighthouse 13.5 and with its usual side
 * findings: cache lifetimes with a large estimate, a critical chain, the total of main-thread work.
 */
import { getLogNormalScore } from 'lighthouse/shared/statistics.js';
import type { MetricName, Strategy } from '../../../src/contract/names.ts';
import { labThresholdsOf } from '../../../src/contract/result/thresholds.ts';
import type { Lhr, LhrAudit } from '../../../src/measure/lhr/lhr.ts';
import { buildAudit, buildCategory, buildLhr, buildRef, metricRefs } from './lhr.ts';

type Values = { FCP: number; LCP: number; TBT: number; CLS: number; SI: number };
type Savings = NonNullable<LhrAudit['metricSavings']>;

const metricOf = {
  FCP: ['first-contentful-paint', 'first_contentful_paint'],
  LCP: ['largest-contentful-paint', 'largest_contentful_paint'],
  TBT: ['total-blocking-time', 'total_blocking_time'],
  CLS: ['cumulative-layout-shift', 'cumulative_layout_shift'],
  SI: ['speed-index', 'speed_index'],
} as const satisfies Readonly<Record<keyof Values, readonly [string, MetricName]>>;

const good: Values = { FCP: 1000, LCP: 1300, TBT: 20, CLS: 0.01, SI: 1500 };
const goodOnDesktop: Values = { FCP: 500, LCP: 700, TBT: 10, CLS: 0.01, SI: 800 };

const metricAudit = (key: keyof Values, value: number, strategy: Strategy): LhrAudit => {
  const [id, name] = metricOf[key];
  const [p10, median] = labThresholdsOf(name, strategy);
  const score = Math.round(100 * getLogNormalScore({ p10, median }, value)) / 100;
  return buildAudit(id, { score, scoreDisplayMode: 'numeric', numericValue: value });
};

/** A failed audit with Lighthouse's estimated savings. */
export const finding = (id: string, metricSavings: Savings = {}, fields: Partial<LhrAudit> = {}): LhrAudit =>
  buildAudit(id, { score: 0, scoreDisplayMode: 'metricSavings', metricSavings, ...fields });

const table = (items: readonly unknown[]) => ({ type: 'table', headings: [], items });
const list = (...items: readonly unknown[]) => ({ type: 'list', items });

/** The LCP breakdown: time to first byte, load delay, load duration and render delay, in milliseconds. */
export const phases = (first: number, delay: number, duration: number, render: number): LhrAudit =>
  buildAudit('lcp-breakdown-insight', {
    score: null,
    scoreDisplayMode: 'informative',
    metricSavings: { LCP: 0 },
    details: list(
      table([
        { subpart: 'timeToFirstByte', label: 'Time to first byte', duration: first },
        { subpart: 'resourceLoadDelay', label: 'Resource load delay', duration: delay },
        { subpart: 'resourceLoadDuration', label: 'Resource load duration', duration },
        { subpart: 'elementRenderDelay', label: 'Element render delay', duration: render },
      ]),
      {
        type: 'node',
        lhId: '1-0-IMG',
        nodeLabel: 'Lighthouse at night',
        selector: 'main > img',
        snippet: '<img src="a.jpg">',
      },
    ),
  });

export const discovery = (checks: { hinted: boolean; eager: boolean; named: boolean }): LhrAudit =>
  finding(
    'lcp-discovery-insight',
    { LCP: 0 },
    {
      scoreDisplayMode: 'numeric',
      details: list({
        type: 'checklist',
        items: {
          priorityHinted: { label: 'fetchpriority=high should be applied', value: checks.hinted },
          eagerlyLoaded: { label: 'lazy load not applied', value: checks.eager },
          requestDiscoverable: { label: 'Request is discoverable in initial document', value: checks.named },
        },
      }),
    },
  );

type Culprit = 'image' | 'font' | 'iframe';

const culpritItem = (culprit: Culprit) => ({
  cause: `Cause: ${culprit}`,
  extra:
    culprit === 'image'
      ? { type: 'node', selector: 'img', snippet: '<img src="b.jpg">' }
      : { type: 'url', value: `https://example.com/${culprit}` },
});

export const culprits = (...found: Culprit[]): LhrAudit =>
  finding(
    'cls-culprits-insight',
    { CLS: 0 },
    {
      scoreDisplayMode: 'numeric',
      details: list(
        table([
          { node: { type: 'text', value: 'Total' }, score: 0.4 },
          { node: { type: 'node' }, score: 0.4, subItems: { type: 'subitems', items: found.map(culpritItem) } },
        ]),
      ),
    },
  );

/** Findings of nearly every page, whatever its fault. */
const usual = (): LhrAudit[] => [
  finding('cache-insight', { FCP: 900, LCP: 10_700 }, { displayValue: 'Est savings of 3,420 KiB' }),
  finding('network-dependency-tree-insight', { LCP: 0 }, { scoreDisplayMode: 'numeric' }),
  finding('total-byte-weight', {}, { scoreDisplayMode: 'numeric', score: 0.5 }),
];

type Page = Partial<Values> & { strategy?: Strategy; found?: readonly LhrAudit[] };

/** A good page except for the given values and findings. */
export function buildPage({ strategy = 'mobile', found = [], ...values }: Page): Lhr {
  const measured: Values = { ...(strategy === 'mobile' ? good : goodOnDesktop), ...values };
  const metrics = Object.entries(measured).map(([key, value]) => metricAudit(key as keyof Values, value, strategy));
  const known = new Set(found.map(({ id }) => id));
  const audits = [...metrics, ...usual().filter(({ id }) => !known.has(id)), ...found];
  const weights = new Map(metricRefs.map(({ id, weight }) => [id, weight]));
  const score = metrics.reduce((sum, audit) => sum + (audit.score ?? 0) * (weights.get(audit.id) ?? 0), 0) / 100;
  const refs = audits.map(({ id }) => metricRefs.find(ref => ref.id === id) ?? buildRef(id, 0, 'insights'));
  return buildLhr({
    audits,
    categories: [buildCategory('performance', refs, Math.round(100 * score) / 100)],
    configSettings: { formFactor: strategy },
  });
}
