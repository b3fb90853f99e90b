/** Describes predictions in the same words on the page and in a terminal. */
import type { PredictedError, WhatIf } from '../contract/stored/what-if.ts';
import { toPlainText } from './markdown.ts';
import { counted, withSign } from './numbers.ts';

type Condition = WhatIf['settings'];
type ScoreBreak = WhatIf['map']['break_points'][number];
export type FixStep = WhatIf['fixes']['steps'][number];

export const networkWords: Readonly<Record<WhatIf['map']['cells'][number]['network'], string>> = {
  wired: 'wired',
  fast_4g: 'fast 4G',
  slow_4g: 'slow 4G',
  '3g': '3G',
  slow_3g: 'slow 3G',
};

/** Names what an error was measured for, in tables that also contain other predictions. */
const measuredFor = {
  map: ' It is that of another CPU; that of another network is not measured.',
  fixes: ' It is that of one fix alone; that of several together is not measured.',
} as const;

/** Describes the error of one kind of prediction; it is displayed with every prediction. */
export const sayError = (error: PredictedError | null, part?: keyof typeof measuredFor): string => {
  if (!error) return 'Predicted, error not measured yet.';
  const { pairs, is_preliminary: isPreliminary } = error;
  const { median, p90, p95 } = error.points;
  const basis = `${isPreliminary ? 'preliminary, ' : ''}${counted(pairs, 'measured change')}`;
  return `Predicted, with an error of ${counted(median, 'point')} (median), ${p90} (p90), ${p95} (p95); ${basis}.${part ? measuredFor[part] : ''}`;
};

/** Formats predicted points: `+12.3`, `−2`, `0`. */
export const sayGain = (points: number): string => withSign(points, Number.isInteger(points) ? 0 : 1);

/** Formats a network as `150 ms round trip, 1,638 kbit/s`. */
const sayNetwork = ({ rtt_ms: rtt, throughput_kbps: kbps }: Omit<Condition, 'cpu_slowdown_multiplier'>): string =>
  `${rtt}\u00a0ms round trip, ${Math.round(kbps).toLocaleString('en')}\u00a0kbit/s`;

export const sayCondition = ({ cpu_slowdown_multiplier: cpu, ...network }: Condition): string =>
  `${cpu}× CPU slowdown, ${sayNetwork(network)}`;

/** Formats predicted points with their unit: `+1 point`, `+12.3 points`. */
const sayGainPoints = (points: number): string => `${sayGain(points)} ${Math.abs(points) === 1 ? 'point' : 'points'}`;

/** Says that there are no steps: no audit proposes a fix, none can be simulated, or all of them lose points. */
export const noFixes = 'No audit proposes a change that is predicted to add points.';

/** Describes how slow a CPU and a network may be for a score; each alone, with the other as in the load. */
export function sayBreakPoint({ score, slowest_cpu: cpu, slowest_network: network, ...tried }: ScoreBreak): string {
  const reaches = (slowest: string | null, isLast: boolean, [all, most, none]: readonly [string, string, string]) =>
    slowest === null
      ? `predicted below ${score} even ${none}.`
      : `predicted ${score} or more ${isLast ? all : most} ${slowest}.`;
  const cpus = ['at every CPU slowdown up to', 'up to a CPU slowdown of', 'without CPU slowdown'] as const;
  const networks = ['on every network down to', 'on networks down to', 'on the fastest network'] as const;
  const onCpu = reaches(cpu === null ? null : `${cpu}×`, tried.is_slowest_cpu_tried, cpus);
  const onNetwork = reaches(network && sayNetwork(network), tried.is_slowest_network_tried, networks);
  return `On the same network, ${onCpu} With the same CPU slowdown, ${onNetwork}`;
}

/** Min number of points to display. */
const negligiblePoints = 0.5;

/** Returns the fix that gains the most in the simulation; undefined if none gains half a point. */
export function firstStep({ fixes }: Pick<WhatIf, 'fixes'>): FixStep | undefined {
  const [first] = fixes.steps;
  return first && first.points >= negligiblePoints ? first : undefined;
}

/** Describes the gain of one fix briefly, with its error. */
const sayStepGain = ({ points }: FixStep, error: PredictedError | null): string =>
  `predicted ${sayGainPoints(points)}, ${error ? `error ${error.points.median} (median), ${error.points.p95} (p95)` : 'error not measured yet'}`;

export const sayFirstStep = (step: FixStep, error: PredictedError | null): string =>
  `First to fix: ${toPlainText(step.title)} (${sayStepGain(step, error)}).`;
