import type { Source } from '../../contract/errors.ts';
import type { Analyser } from '../../contract/result/result.ts';
import { counted, joinWords, startUpper } from '../../presentation/numbers.ts';
import { whereOf } from '../../presentation/side-names.ts';
import { categoryInSentence } from '../../presentation/words.ts';
import type { Where } from './causes/cause-table.ts';
import { lateResponseMs, oldSeconds } from './constants.ts';
import { cutTo, type Fact, type FoundComparison, maxNamed } from './evidence.ts';
import { toFloor } from './points/noise.ts';
import { otherSide } from './same-page/load-pair.ts';
import { isStated, tellPerformance } from './tell-performance.ts';

/* Describes the categories other than performance, and those without a score. */

const asSentence = (text: string): string => `${startUpper(text)}.`;

const tellFlips = ({ audits }: FoundComparison, category: string, where: Where): string => {
  const flipped = audits.flipped
    .filter(({ categories }) => (categories as string[]).includes(category))
    .map(({ id, fault_on: side }) => (side ? `${id} failed ${where[side]}` : id));
  return flipped.length > 0 ? ` (${cutTo(flipped, maxNamed)})` : '';
};

const tellOthers = (comparison: FoundComparison, where: Where): string[] => {
  const others = Object.entries(comparison.scores).filter(([name]) => name !== 'performance');
  const same = others.filter(([, { difference }]) => difference === 0).map(([name]) => categoryInSentence(name));
  const apart = others.flatMap(([name, { difference }]) => (difference ? [{ name, difference }] : []));
  return [
    ...apart.map(
      ({ name, difference }) =>
        `${categoryInSentence(name)} is ${counted(Math.abs(difference), 'point')} ${difference > 0 ? 'higher' : 'lower'} ${where.lighthouse}${tellFlips(comparison, name, where)}`,
    ),
    ...(same.length > 0 ? [`${joinWords(same)} ${same.length === 1 ? 'is' : 'are'} the same`] : []),
  ].map(asSentence);
};

/** Describes scores that cannot be compared, because one side or both have none. */
const tellUnscored = ({ scores }: FoundComparison, where: Where): string[] => {
  const all = Object.entries(scores).map(([name, pair]) => ({ word: categoryInSentence(name), ...pair }));
  const onlyOn = (side: Source) =>
    all
      .filter(pair => pair[side] !== null && pair[otherSide[side]] === null)
      .map(pair => `${pair.word} (${pair[side]})`);
  const neither = all.filter(({ psi, lighthouse }) => psi === null && lighthouse === null).map(({ word }) => word);
  const told = [
    [`scored only ${where.psi}:`, joinWords(onlyOn('psi'))],
    [`scored only ${where.lighthouse}:`, joinWords(onlyOn('lighthouse'))],
    ['neither side scored', joinWords(neither, 'or')],
  ];
  return told.flatMap(([who, words]) => (words === '' ? [] : [asSentence(`${who} ${words}`)]));
};

const sayMs = (value: unknown): string => `${Math.round(Number(value))} ms`;

const toLateWords = ({ of, psi, lighthouse }: Fact, where: Where): string =>
  `The server took ${sayMs(psi)} for ${of} ${where.psi} and ${sayMs(lighthouse)} ${where.lighthouse}.`;

const toResponseWords = (psi: unknown, lighthouse: unknown, where: Where): string[] =>
  typeof psi === 'number' && typeof lighthouse === 'number' && Math.abs(psi - lighthouse) >= lateResponseMs
    ? [`The server took ${sayMs(psi)} to respond ${where.psi} and ${sayMs(lighthouse)} ${where.lighthouse}.`]
    : [];

const toProtocolWords = ({ of, psi, lighthouse }: Fact, where: Where): string =>
  `${of} used ${psi} ${where.psi} and ${lighthouse} ${where.lighthouse}.`;

/**
 * Describes a server that responded much later, even if this did not change the score: for the document, or else for a
 * single file. A different protocol is described only if the scores differ.
 */
const tellServer = ({ causes }: FoundComparison, isApart: boolean, where: Where): string[] => {
  const evidence = causes.find(({ cause }) => cause === 'server')?.evidence ?? [];
  const response = evidence.find(({ fact }) => fact === 'server_response_ms');
  const single = evidence.find(each => each.fact === 'answer_ms');
  const protocol = isApart ? evidence.find(each => each.fact === 'protocol') : undefined;
  return [
    ...toResponseWords(response?.psi, response?.lighthouse, where),
    ...(single ? [toLateWords(single, where)] : []),
    ...(protocol ? [toProtocolWords(protocol, where)] : []),
  ].slice(0, 1);
};

const isApart = ({ scores, noise }: FoundComparison): boolean =>
  Math.abs(scores.performance?.difference ?? 0) > toFloor(noise);

/** A certain difference of the page is described before the scores, a possible one after them. */
const isPossiblePage = ({ causes }: FoundComparison): boolean =>
  causes.some(({ cause, certainty }) => cause === 'different_page' && certainty === 'possible');

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

const tellAge = ({ causes }: FoundComparison, where: Where): string[] =>
  causes.flatMap(({ cause, evidence }) => {
    const seconds = evidence.find(({ fact }) => fact === 'seconds_old')?.psi;
    return cause === 'cached_answer' && typeof seconds === 'number' && seconds >= oldSeconds
      ? [`The result ${where.psi} is ${sayAge(seconds)} old.`]
      : [];
  });

/** Names the step that was not computed: usually the settings. */
const sayNotComputed = ({ re_audits: { order } }: FoundComparison): string => {
  const [only] = order;
  const isSetting = order.some(cause => cause === 'throttling' || cause === 'cpu');
  if (!isSetting && only === 'server') return 'The effect of the server response times could not be computed.';
  if (!isSetting && only === 'machine') return 'The effect of the speed of the machines could not be computed.';
  return 'The effect of the settings could not be computed.';
};

/** Warns of disturbed runs, unless a stated cause already does. */
function tellDisturbed({ causes, scores, disturbed = [] }: FoundComparison, where: Where): string[] {
  const difference = scores.performance?.difference ?? 0;
  const isTold = causes.some(cause => cause.cause === 'disturbed_run' && isStated(cause, difference));
  if (disturbed.length === 0 || (isTold && disturbed.length === 1)) return [];
  const isOne = disturbed.length === 1;
  const sides = joinWords(disturbed.map(side => where[side]));
  return [
    `The ${isOne ? 'run' : 'runs'} ${sides} ${isOne ? 'was' : 'were'} disturbed: measure again before you act on this.`,
  ];
}

type Circumstances = {
  analyser: Analyser;
  isSameMachine: boolean;
  /** Sentence that names the difference of the page, without its effect on the score. */
  page: string | undefined;
};

/** Summarises the comparison in a few sentences. They name differences and causes, without preferring a side. */
export function describeVerdict(comparison: FoundComparison, { analyser, isSameMachine, page }: Circumstances): string {
  const where = { psi: whereOf(analyser), lighthouse: whereOf({ kind: 'local' }) };
  const isSplit = typeof comparison.scores.performance?.difference === 'number';
  const scores = tellPerformance(comparison, analyser, where);
  const server = tellServer(comparison, isApart(comparison), where);
  const pages = page === undefined ? [] : [page];
  const isPossible = isPossiblePage(comparison);
  const age = tellAge(comparison, where);
  // Then the difference is probably one in time, not of the two sides.
  const isOutdated = pages.length > 0 && !isPossible;
  const sentences = [
    ...(isPossible ? [] : pages),
    ...(isOutdated ? age.map(said => `${said} Measure both again if the page changed since.`) : []),
    ...(isApart(comparison) ? [...scores, ...server] : [...server, ...scores]),
    ...(isPossible ? pages : []),
    ...tellOthers(comparison, where),
    ...tellUnscored(comparison, where),
    ...(isSplit && comparison.re_audits.status === 'not_possible' ? [sayNotComputed(comparison)] : []),
    ...(isOutdated ? [] : age),
    ...(isSameMachine ? ['Both sides ran on one machine.'] : []),
  ];
  const said = sentences.length > 0 ? sentences : ['The two sides have no score in common.'];
  return [...said, ...tellDisturbed(comparison, where)].join(' ');
}
