import { createResultId } from '../../../src/storage/results/result-id.ts';
import type { NewEntry } from '../../../src/storage/results/store.ts';

/** Noon on a fixed day, which the real clock of a test never reads. */
export const noonMs = Date.parse('2026-11-20T12:00:00Z');

/** A stored result of a page, measured at noon by default, with an id of its own. */
export function buildEntry(given: Partial<NewEntry> = {}): NewEntry {
  const measuredAtMs = given.measuredAtMs ?? noonMs;
  const url = given.url ?? 'https://example.com/';
  return {
    id: createResultId(measuredAtMs),
    kind: 'result',
    groupId: null,
    url,
    host: new URL(url).host,
    source: 'lighthouse',
    strategy: 'mobile',
    profile: 'lighthouse',
    label: null,
    conditions: null,
    analyser: {
      kind: 'local',
      host: null,
      lighthouseVersion: '13.5.0',
      browserVersion: '153.0.1',
      machineId: 'machine-1',
    },
    measuredAtMs,
    scores: { performance: 98, accessibility: 100, 'best-practices': 0, seo: null },
    metrics: {
      first_contentful_paint: 812.25,
      largest_contentful_paint: 1200,
      total_blocking_time: 0,
      cumulative_layout_shift: 0.0123,
      speed_index: 900.5,
      interactive: null,
      server_response_time: 12,
    },
    customMetrics: null,
    disturbed: false,
    cpuSlowdown: 4,
    benchmarkIndex: 1500,
    performanceRange: { min: 95, max: 99 },
    errorCode: null,
    pageStatus: null,
    summary: '{"source":"lighthouse","text":"größer – 🚀"}',
    full: { coding: 'zstd', bytes: Uint8Array.from([0, 1, 2, 253, 254, 255]) },
    ...given,
  };
}

export const buildFailure = (given: Partial<NewEntry> = {}): NewEntry => {
  const { scores, metrics, ...entry } = buildEntry(given);
  const toNulls = <T extends object>(values: T) =>
    Object.fromEntries(Object.keys(values).map(name => [name, null])) as { [N in keyof T]: null };
  return {
    ...entry,
    scores: toNulls(scores),
    metrics: toNulls(metrics),
    kind: 'failure',
    disturbed: null,
    cpuSlowdown: null,
    benchmarkIndex: null,
    performanceRange: null,
    errorCode: 'page_error',
    pageStatus: 503,
    full: null,
    ...given,
  };
};
