import { zstdCompressSync } from 'node:zlib';
import type { KeptSide } from '../../../src/explain/change/kept-side.ts';
import type { Lhr } from '../../../src/measure/lhr/lhr.ts';
import type { NewEntry } from '../../../src/storage/results/store.ts';
import type { SimulatedRun } from '../audits/lighthouse-noise.ts';
import { buildEntry, noonMs } from './entry.ts';

/** A Lighthouse result compressed as the service stores it. */
export const packLhr = (lhr: Lhr) => ({ coding: 'zstd', bytes: zstdCompressSync(JSON.stringify(lhr)) });

/** The settings summary of a local run. */
export const buildSummary = ({
  failed = [],
  benchmark = 1500,
  cpu = 4,
}: {
  failed?: readonly string[];
  benchmark?: number | null;
  cpu?: number;
} = {}): string =>
  JSON.stringify({
    failed_audits: failed.map(id => ({ id })),
    environment: {
      benchmark_index: benchmark,
      throttling_method: 'simulate',
      cpu_slowdown_multiplier: cpu,
      network_throttling: { rtt_ms: 150, throughput_kbps: 1638.4 },
    },
  });

/** One stored entry per simulated run, a minute apart. */
export const toEntries = (runs: readonly SimulatedRun[], given: Partial<NewEntry> = {}): NewEntry[] =>
  runs.map(({ scores, metrics }, at) => {
    const entry = buildEntry({ measuredAtMs: noonMs + at * 60_000, summary: buildSummary(), ...given });
    return {
      ...entry,
      scores: { ...entry.scores, ...scores },
      metrics: { ...entry.metrics, interactive: null, server_response_time: null, ...metrics },
    };
  });

/** Entries that differ in their performance score only. */
export const toScored = (scores: readonly (number | null)[], given: Partial<NewEntry> = {}): NewEntry[] => {
  const { metrics } = buildEntry();
  const none = Object.fromEntries(Object.keys(metrics).map(name => [name, null])) as unknown as typeof metrics;
  return scores.map((performance, at) =>
    buildEntry({
      measuredAtMs: noonMs + at * 60_000,
      summary: buildSummary(),
      scores: { performance, accessibility: null, 'best-practices': null, seo: null },
      metrics: none,
      ...given,
    }),
  );
};

export function toSide(
  entries: readonly NewEntry[],
  { asked = 'v1', lhr }: { asked?: string; lhr?: Lhr } = {},
): KeptSide {
  return {
    asked,
    by: 'label',
    entries,
    history: [],
    summaries: entries.map(({ summary }) => summary),
    shown: { id: entries[0]?.id ?? '', full: lhr ? packLhr(lhr) : null },
  };
}
