/** Warnings in results, advice, and progress. */

import { sayCalibration, withoutCalibration } from '../../src/analysis/default-cpu.ts';
import { advance, sayStep, startLane } from '../../src/api-client/progress.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { toDisturbances } from '../../src/measure/lhr/disturbances.ts';
import { sayHeadline, sayVerdict } from '../../src/presentation/verdict-words.ts';
import { buildCategory } from '../support/builders/lhr.ts';
import { buildDetails, buildSide } from '../support/builders/side.ts';
import { buildFailedAudit, buildLocalResult } from '../web/reports.ts';
import type { Case } from './case.ts';

const sayDisturbance =
  (environment: Partial<Result['environment']>, blockingMs = 170) =>
  () => {
    const audits = [buildDetails('total-blocking-time', {}, { numericValue: blockingMs })];
    const { lhr, result } = buildSide({ audits });
    const measured = { ...lhr, categories: { performance: buildCategory('performance', [], 0.87) } };
    return toDisturbances(measured, { ...result.environment, concurrent_audits: 0, ...environment }).sentences.join(
      ' ',
    );
  };
const wait = { main_thread_ms: 101, without: { performance: 96, total_blocking_time: 82 } };

const calibrated = (benchmark_index: number): Result => {
  const result = buildLocalResult();
  const calibration = { benchmark_index, measurements: 5 };
  return { ...result, environment: { ...result.environment, cpu_slowdown_multiplier: 1.9, calibration } };
};
const usual = { cpu_slowdown_multiplier: 4, performance: 58, metrics: {} };

const slow = buildLocalResult({
  scores: { performance: 48, accessibility: 53 },
  metrics: { largest_contentful_paint: 12_031, total_blocking_time: 1410 },
  failed_audits: [
    buildFailedAudit('bootup-time', { title: 'Reduce JavaScript', savings: { total_blocking_time: 1400 } }),
  ],
});
const late = buildLocalResult({
  late_content: { appeared_ms: 2610, filled_before: 12, largest_paint: 'body > footer' },
});
const disturbed = buildLocalResult({
  scores: { performance: 62 },
  disturbed: true,
  disturbance: {
    kinds: ['processor_wait'],
    denied: ['total_blocking_time'],
    performance: 87,
    total_blocking_time: 120,
  },
});

const lane = startLane({ source: 'lighthouse', strategy: 'mobile' });

export const warningCases: readonly Case[] = [
  [
    '101 ms of waiting for a CPU',
    sayDisturbance({ processor_wait: wait }),
    'This run was disturbed: main-thread tasks waited 101 ms for a CPU. Without that wait, Total Blocking Time is 82 ms instead of 170 ms, and performance scores 96 instead of 87.',
  ],
  [
    'the same with another audit',
    sayDisturbance({ processor_wait: wait, concurrent_audits: 1 }),
    'This run was disturbed: main-thread tasks waited 101 ms for a CPU while another audit ran on this machine. Without that wait, Total Blocking Time is 82 ms instead of 170 ms, and performance scores 96 instead of 87.',
  ],
  [
    'benchmark index 900, usually 2,100',
    sayDisturbance({ benchmark_index: 900, benchmark_median: 2100 }),
    'This run may have been disturbed: the machine was slower than usual (benchmark index 900, usually 2,100), so times may be too long.',
  ],
  [
    'calibrated to 1.9×',
    () => sayCalibration(calibrated(736), usual).join(' '),
    'CPU throttling: 1.9×, calibrated from a benchmark index of 736 (5 measurements). With the default 4×, this load scores 58.',
  ],
  [
    'calibrated on a slow machine',
    () => sayCalibration(calibrated(120), null).join(' '),
    'CPU throttling: 1.9×, calibrated from a benchmark index of 120 (5 measurements). This machine is slower than the phone it emulates, so times are too long. The score with the default throttling could not be computed.',
  ],
  [
    'calibration of a desktop run',
    () => withoutCalibration(buildLocalResult()).warnings[0],
    'CPU throttling: 1×. Desktop runs are not throttled, so this run was not calibrated.',
  ],
  [
    'a slow page, above its advice',
    () => sayHeadline(slow),
    'This page is slow on mobile: Largest Contentful Paint is 12.0 s and Total Blocking Time is 1.4 s. Accessibility can be improved.',
  ],
  [
    'a slow page, in a report',
    () => sayVerdict(slow),
    'This page is slow on mobile: Largest Contentful Paint is 12.0 s and Total Blocking Time is 1.4 s. First to fix: Reduce JavaScript (may save 1.4 s of blocking). Accessibility can be improved.',
  ],
  [
    'a fast page',
    () => sayHeadline(buildLocalResult()),
    'This page is fast on mobile. No audit found anything to fix.',
  ],
  [
    'main content after 2.6 s',
    () => sayHeadline(late),
    'The score is good, but the main content appeared at 2.6 s: the largest paint was body > footer. No audit found anything to fix.',
  ],
  [
    'a disturbed load',
    () => sayHeadline(disturbed),
    'This run was disturbed (the page waited for a CPU): it scores 62, and 87 without the disturbance. This page could be faster on mobile.',
  ],
  ['no event yet', () => sayStep(lane), 'Sent, no progress reported yet'],
  ['position 3', () => sayStep(advance(lane, { event: 'queued', ...lane, position: 3 })), '3rd in the queue'],
  [
    'a repeated load',
    () => sayStep(advance(lane, { event: 'progress', ...lane, stage: 'repeating' })),
    'Starting again: the first load was disturbed',
  ],
];
