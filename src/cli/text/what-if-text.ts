/** Formats predictions for a terminal: removals, devices and networks, and the effect of all fixes. */
import type { WhatIf } from '../../contract/stored/what-if.ts';
import { absent, formatBytes, formatMs } from '../../presentation/numbers.ts';
import {
  firstStep,
  networkWords,
  noFixes,
  sayBreakPoint,
  sayCondition,
  sayError,
  sayFirstStep,
  sayGain,
} from '../../presentation/what-if-words.ts';
import type { Screen } from './terminal/screen.ts';
import { type Cell, toTable } from './terminal/table.ts';
import { indentText } from './terminal/width.ts';

type RemovedItem = WhatIf['scripts']['items'][number];

const right = (text: string): Cell => ({ text, kind: 'number' });

function toRemovalRow({ name, predicted, bytes, main_thread_ms, takes_with: others, reason }: RemovedItem): Cell[] {
  const without = predicted?.without;
  const note = [others.length > 0 ? `Removes ${others.join(', ')} as well.` : '', reason ?? '']
    .filter(Boolean)
    .join(' ');
  return [
    { text: name, kind: /^https?:/.test(name) ? 'url' : 'text', ...(note ? { note } : {}) },
    right(predicted ? sayGain(predicted.points) : absent),
    right(without ? formatMs(without.largest_contentful_paint) : absent),
    right(without ? formatMs(without.total_blocking_time) : absent),
    right(formatBytes(bytes)),
    right(formatMs(main_thread_ms)),
  ];
}

const removalHead = ['without', 'points', 'LCP', 'TBT', 'bytes', 'main thread'];

function toMapText(screen: Screen, { settings, map }: WhatIf): string[] {
  const { cells, networks, break_points, own_score: own } = map;
  const cpus = [...new Set(cells.map(cell => cell.cpu_slowdown_multiplier))];
  const rows = networks.map(({ name }): Cell[] => [
    networkWords[name],
    ...cells
      .filter(({ network }) => network === name)
      .map(({ score, is_own }) => right(`${score}${is_own ? '*' : ''}`)),
  ]);
  return [
    toTable(['CPU slowdown', ...cpus.map(cpu => `${cpu}×`)], rows, screen),
    ...[`This load: ${own}, at ${sayCondition(settings)}.`, ...break_points.map(sayBreakPoint)].map(text =>
      indentText(text, screen.columns, ''),
    ),
  ];
}

function toFixText(screen: Screen, { fixes }: WhatIf): string[] {
  const { steps, not_predicted } = fixes;
  const rows = steps
    .filter(({ points }) => sayGain(points) !== '0')
    .map(({ title, points, after }): Cell[] => [
      { text: title, kind: 'text' },
      right(sayGain(points)),
      right(String(after.score)),
    ]);
  const left = not_predicted.map(({ title, reason }) => indentText(`${title}: ${reason}`, screen.columns, '  '));
  return [
    ...(rows.length > 0 ? [toTable(['fix', 'points', 'score'], rows, screen)] : [noFixes]),
    ...(left.length > 0 ? ['Not predicted:', ...left] : []),
  ];
}

export function toWhatIfText(screen: Screen, body: WhatIf): string {
  const { paint, columns } = screen;
  const { url, strategy, base, settings, third_parties, scripts, map, fixes, limits } = body;
  // The first limit of a disturbed load is that of the disturbance.
  const [notice, others] = body.disturbed ? [limits[0], limits.slice(1)] : [undefined, limits];
  const about = `performance ${base.score} · ${strategy} · ${sayCondition(settings)} · predicted from one load`;
  const reached = `All fixes together: ${base.score} → ${fixes.reachable.values.score}.`;
  const first = firstStep({ fixes });
  const head = (title: string, ...error: Parameters<typeof sayError>) => [
    '',
    paint('bold', title),
    paint('dim', indentText(sayError(...error), columns, '')),
  ];
  const toRemovals = (items: readonly RemovedItem[], none: string): string =>
    items.length > 0 ? toTable(removalHead, items.map(toRemovalRow), screen) : none;
  return [
    paint('bold', url),
    indentText(about, columns, '  '),
    '',
    indentText(first ? `${reached} ${sayFirstStep(first, fixes.error)}` : reached, columns, ''),
    ...(notice === undefined ? [] : ['', indentText(notice, columns, '')]),
    ...head('All fixes together', fixes.error, 'fixes'),
    ...toFixText(screen, body),
    ...head('Third parties', third_parties.error),
    toRemovals(third_parties.items, 'The page requests nothing from third parties.'),
    ...head('Heaviest scripts of the page', scripts.error),
    toRemovals(scripts.items, 'The page has no scripts of its own.'),
    ...head('Devices and networks', map.error, 'map'),
    ...toMapText(screen, body),
    ...(others.length > 0 ? ['', ...others.map(limit => paint('dim', indentText(limit, columns, '- ', '  ')))] : []),
    '',
  ].join('\n');
}
