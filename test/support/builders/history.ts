/** Histories and lists of stored results, as the service returns them. */
import type { History } from '../../../src/contract/stored/history.ts';
import type { KeptFacts } from '../../../src/contract/stored/kept.ts';

const day = 86_400_000;
const first = Date.parse('2026-11-01T09:00:00.000Z');
const timeAt = (at: number): string => new Date(first + at * day).toISOString();
const idAt = (at: number): string => `01a201e3-ac0c-7234-9a1b-${String(at).padStart(12, '0')}`;

const units: Partial<Record<History['metric'], History['unit']>> = {
  ...{ performance: 'point', accessibility: 'point', 'best-practices': 'point', seo: 'point' },
  cumulative_layout_shift: 'unitless',
};

/** Ten good days, a change, then ten worse days with a gap of failures near the end. */
export function buildHistory(metric: History['metric'], fields: Partial<History> = {}): History {
  const unit = units[metric] ?? 'millisecond';
  const [before, after] = unit === 'point' ? [92, 74] : unit === 'unitless' ? [0.02, 0.18] : [1900, 3400];
  const points = Array.from({ length: 20 }, (_, at) => ({
    id: idAt(at),
    links: { self: `/results/${idAt(at)}` },
    fetched_at: timeAt(at < 17 ? at : at + 2),
    value: (at < 10 ? before : after) * (1 + ((at * 7) % 5) / 100),
    ids: at === 3 ? [idAt(at), idAt(90), idAt(91)] : [idAt(at)],
    label: at < 10 ? 'build-41' : 'build-42',
    lighthouse_version: '13.5.0',
    browser_version: '153.0.0.0',
    disturbed: at === 5 || at === 19,
  }));
  return {
    url: 'https://harbour.example/',
    strategy: 'mobile',
    source: 'lighthouse',
    metric,
    unit,
    direction: unit === 'point' ? 'higher_is_better' : 'lower_is_better',
    label: null,
    field: null,
    median: (before + after) / 2,
    points,
    segments: [
      { from: timeAt(0), to: timeAt(9), points: 10, median: before },
      { from: timeAt(10), to: timeAt(21), points: 10, median: after },
    ],
    notes: [],
    machine_changes: [],
    change_points: [
      {
        status: 'worse',
        previous_fetched_at: timeAt(9),
        fetched_at: timeAt(10),
        previous_id: idAt(9),
        id: idAt(10),
        before,
        after,
        difference: after - before,
        percent: 20,
        interval: {
          low: Math.min((after - before) * 0.8, (after - before) * 1.2),
          high: Math.max((after - before) * 0.8, (after - before) * 1.2),
          confidence: 0.95,
        },
        also: [],
        differences: [{ name: 'label', before: 'build-41', after: 'build-42' }],
        notes: [],
      },
    ],
    possible_change: null,
    gaps: [
      {
        from: timeAt(17),
        to: timeAt(18),
        failures: 4,
        reasons: [{ code: 'page_error', page_status: 503, failures: 4 }],
        explanation: 'From 18 to 19 November the page could not be measured 4 times: it returned status 503.',
      },
    ],
    without_value: 0,
    is_complete: true,
    ...fields,
  };
}

/** Nine days: eight good ones, and a last one that may be the start of a change. */
export function buildPossibleChange(): History {
  const { points, segments, ...history } = buildHistory('performance');
  const before = points.slice(0, 8);
  const last = { ...(points[8] ?? points[0]), value: 78 } as History['points'][number];
  return {
    ...history,
    points: [...before, last],
    segments: segments.slice(0, 1).map(segment => ({ ...segment, to: last.fetched_at, points: 9 })),
    median: 92,
    notes: [],
    machine_changes: [],
    change_points: [],
    possible_change: { status: 'worse', fetched_at: last.fetched_at, id: last.id, value: last.value },
    gaps: [],
  };
}

export const buildKeptFacts = (at: number, fields: Partial<KeptFacts> = {}): KeptFacts =>
  ({
    id: idAt(at),
    kind: 'result',
    group: null,
    url: 'https://harbour.example/',
    source: 'lighthouse',
    strategy: 'mobile',
    profile: 'lighthouse',
    label: null,
    analyser: { kind: 'local', host: null, lighthouse_version: '13.5.0', browser_version: null, machine_id: null },
    fetched_at: timeAt(at),
    scores: { performance: 70 + ((at * 7) % 23) },
    metrics: {},
    error_code: null,
    page_status: null,
    links: { self: `/results/${idAt(at)}` },
    ...fields,
  }) as KeptFacts;
