/** Predictions for a terminal: what is gone, where it is measured, and what all fixes reach. */
import type { PredictedError, WhatIf } from '../../contract/stored/what-if.ts';
import { absent, formatBytes, formatMs, withSign } from '../../presentation/numbers.ts';
import type { Screen } from './terminal/screen.ts';
import { type Cell, toTable } from './terminal/table.ts';
import { indentText } from './terminal/width.ts';

type Removal = WhatIf['scripts']['items'][number];

const networkWords: Readonly<Record<WhatIf['map']['cells'][number]['network'], string>> = {
  wired: 'wired',
  fast_4g: 'fast 4G',
  slow_4g: 'slow 4G',
  '3g': '3G',
  slow_3g: 'slow 3G',
};

const sayError = (error: PredictedError | null): string => {
  if (!error) return 'The error of these predictions was not measured.';
  const { median, p90, p95 } = error.points;
  return `Measured error over ${error.pairs} changes: ${median} points (median), ${p90} (p90), ${p95} (p95).`;
};

const sayPoints = (points: number): string => withSign(points, Number.isInteger(points) ? 0 : 1);
const right = (text: string): Cell => ({ text, kind: 'number' });

function toRemovalRow({ name, predicted, bytes, main_thread_ms, reason }: Removal): Cell[] {
  const without = predicted?.without;
  return [
    { text: name, kind: /^https?:/.test(name) ? 'url' : 'text', ...(reason ? { note: reason } : {}) },
    right(predicted ? sayPoints(predicted.points) : absent),
    right(without ? formatMs(without.largest_contentful_paint) : absent),
    right(without ? formatMs(without.total_blocking_time) : absent),
    right(formatBytes(bytes)),
    right(formatMs(main_thread_ms)),
  ];
}

const removalHead = ['without', 'points', 'LCP', 'TBT', 'bytes', 'main thread'];

function toMapText(screen: Screen, { cells, networks, break_points }: WhatIf['map']): string[] {
  const cpus = [...new Set(cells.map(cell => cell.cpu_slowdown_multiplier))];
  const rows = networks.map(({ name }): Cell[] => [
    networkWords[name],
    ...cells
      .filter(({ network }) => network === name)
      .map(({ score, is_own }) => right(`${score}${is_own ? '*' : ''}`)),
  ]);
  const points = break_points.map(({ score, slowest_cpu, slowest_network }) => {
    const cpu = slowest_cpu === null ? 'on no CPU' : `up to ${slowest_cpu}× CPU slowdown`;
    const network = slowest_network
      ? `down to ${slowest_network.throughput_kbps} kbit/s with ${slowest_network.rtt_ms} ms`
      : 'on no network';
    return `Scores ${score} ${cpu}, and ${network}.`;
  });
  return [toTable(['CPU slowdown', ...cpus.map(cpu => `${cpu}×`)], rows, screen), ...points];
}

function toFixText(screen: Screen, { steps, reachable, not_predicted }: WhatIf['fixes'], base: number): string[] {
  const rows = steps.map(({ title, points, after }): Cell[] => [
    { text: title, kind: 'text' },
    right(sayPoints(points)),
    right(String(after.score)),
  ]);
  const left = not_predicted.map(({ title, reason }) => indentText(`${title}: ${reason}`, screen.proseColumns, '  '));
  return [
    ...(rows.length > 0
      ? [toTable(['fix', 'points', 'score'], rows, screen)]
      : ['No audit proposes anything that can be simulated.']),
    `Reachable: ${reachable.values.score}, now ${base}.`,
    ...(left.length > 0 ? ['Not predicted:', ...left] : []),
  ];
}

export function toWhatIfText(screen: Screen, body: WhatIf): string {
  const { paint, proseColumns } = screen;
  const { url, strategy, base, settings, third_parties, scripts, map, fixes, limits } = body;
  const head = (title: string, error: PredictedError | null) => [
    '',
    paint('bold', title),
    paint('dim', sayError(error)),
  ];
  const { cpu_slowdown_multiplier: cpu, rtt_ms: rtt, throughput_kbps: kbps } = settings;
  const toRemovals = (items: readonly Removal[], none: string): string =>
    items.length > 0 ? toTable(removalHead, items.map(toRemovalRow), screen) : none;
  return [
    paint('bold', url),
    `  performance ${base.score} · ${strategy} · ${cpu}× CPU · ${rtt} ms, ${kbps} kbit/s · predicted from one load`,
    ...head('All fixes together', fixes.error),
    ...toFixText(screen, fixes, base.score),
    ...head('Third parties', third_parties.error),
    toRemovals(third_parties.items, 'The page requests nothing from third parties.'),
    ...head('Heaviest scripts of the page', scripts.error),
    toRemovals(scripts.items, 'The page has no scripts of its own.'),
    ...head('Devices and networks', map.error),
    ...toMapText(screen, map),
    '',
    ...limits.map(limit => paint('dim', indentText(limit, proseColumns, '- ', '  '))),
    '',
  ].join('\n');
}
