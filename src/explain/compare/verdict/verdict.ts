import type { Comparison } from '../../../contract/analysis/comparison.ts';
import type { Analyser } from '../../../contract/result/result.ts';
import { costWords } from '../causes/page-cost.ts';
import { toFloor } from '../points/noise.ts';
import { tellOthers, tellUnscored } from './tell-categories.ts';
import { tellPerformance } from './tell-performance.ts';
import { tellServer } from './tell-server.ts';

const nameOf = ({ kind, host }: Analyser): string => {
  if (kind === 'google') return 'PageSpeed Insights';
  return kind === 'embedded' ? 'the embedded analyser' : `the remote analyser at ${host}`;
};

/** Whether there is more to say of the scores than that they are alike. */
const isApart = ({ scores, noise }: Comparison): boolean =>
  Math.abs(scores.performance?.difference ?? 0) > toFloor(noise);

const startLower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
const startUpper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const asPart = (text: string): string => startLower(text.replace(/\.$/, ''));

/** Another page is the first thing to know; one that may be another comes behind the scores. */
const tellPage = ({ causes }: Comparison, isPossible: boolean): string[] =>
  causes
    .filter(cause => cause.cause === 'different_page' && (cause.certainty === 'possible') === isPossible)
    // What it costs stands with the scores.
    .map(({ explanation }) => asPart(explanation.split(costWords, 1)[0] ?? ''));

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const sayAge = (seconds: number): string => {
  const [size, unit] = (
    [
      [day, 'day'],
      [hour, 'hour'],
      [minute, 'minute'],
    ] as const
  ).find(([size]) => seconds >= size) ?? [1, 'second'];
  const count = Math.floor(seconds / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
};

/** An answer of a minute ago is as good as new. */
const oldSeconds = 60;

const tellAge = ({ causes }: Comparison): string[] =>
  causes.flatMap(({ cause, evidence }) => {
    const seconds = evidence.find(({ fact }) => fact === 'seconds_old')?.psi;
    return cause === 'cached_answer' && typeof seconds === 'number' && seconds >= oldSeconds
      ? [`the remote answer is ${sayAge(seconds)} old`]
      : [];
  });

/** Settings are what most comparisons differ in; without them it is named what was not computed. */
const sayNotComputed = ({ re_audits: { order } }: Comparison): string => {
  const [only] = order;
  const isSetting = order.some(cause => cause === 'throttling' || cause === 'cpu');
  if (!isSetting && only === 'server') return "what the server's answer times cost could not be computed";
  if (!isSetting && only === 'machine') return 'what the speed of the machines costs could not be computed';
  return 'what the settings cost could not be computed';
};

const disturbedWords = { psi: 'remote', lighthouse: 'local' } as const;

/** A sentence of its own, unless a cause says it already. */
function tellDisturbed({ causes, disturbed = [] }: Comparison): string {
  if (disturbed.length === 0 || causes.some(({ cause }) => cause === 'disturbed_run')) return '';
  const sides = disturbed.map(side => disturbedWords[side]).join(' and the ');
  return ` The ${sides} run${disturbed.length === 1 ? ' was' : 's were'} disturbed: measure again before you act on this.`;
}

/** The comparison in one sentence. It names differences and reasons, and calls neither side right. */
export function toVerdict(
  comparison: Comparison,
  analyser: Analyser,
  isSameMachine = analyser.kind === 'embedded',
): string {
  const isSplit = typeof comparison.scores.performance?.difference === 'number';
  const [scores, server] = [tellPerformance(comparison, nameOf(analyser)), tellServer(comparison, isApart(comparison))];
  const parts = [
    ...tellPage(comparison, false),
    ...(isApart(comparison) ? [...scores, ...server] : [...server, ...scores]),
    ...tellPage(comparison, true),
    ...tellOthers(comparison),
    ...tellUnscored(comparison),
    ...(isSplit && comparison.re_audits.status === 'not_possible' ? [sayNotComputed(comparison)] : []),
    ...tellAge(comparison),
    ...(isSameMachine ? ['both sides ran on this machine'] : []),
  ];
  const said = parts.length > 0 ? parts.join('; ') : 'there is nothing that both sides scored';
  return `${startUpper(said)}.${tellDisturbed(comparison)}`;
}
