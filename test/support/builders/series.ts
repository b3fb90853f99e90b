import type { SeriesPoint } from '../../../src/storage/results/store.ts';
import { noonMs } from './entry.ts';

/** The time this many minutes after noon. */
export const toMinutes = (minutes: number): number => noonMs + minutes * 60_000;

/** One point of a series, as the store returns it. */
export const buildSeriesPoint = (
  minute: number,
  value: number | null,
  given: Partial<SeriesPoint> = {},
): SeriesPoint => ({
  id: `id-${minute}`,
  kind: 'result',
  groupId: null,
  measuredAtMs: toMinutes(minute),
  value,
  others: {},
  label: null,
  profile: 'lighthouse',
  analyser: {
    kind: 'local',
    host: null,
    lighthouseVersion: '13.5.0',
    browserVersion: '153.0.1',
    machineId: 'machine-1',
  },
  disturbed: null,
  cpuSlowdown: 4,
  benchmarkIndex: 1500,
  ...given,
});
