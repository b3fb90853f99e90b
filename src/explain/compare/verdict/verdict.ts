import type { Comparison, Evidence } from '../../../contract/analysis/comparison.ts';
import type { Analyser } from '../../../contract/result/result.ts';
import { costWords } from '../causes/page-cost.ts';
import { cutTo, joined, maxNamed, withSign } from '../phrases.ts';
import { toFloor } from '../points/noise.ts';
import { tellPerformance } from './tell-performance.ts';

/* The categories other than performance, and those that a side gave no score. */

const categoryWords: Readonly<Record<string, string>> = {
  performance: 'performance',
  accessibility: 'accessibility',
  'best-practices': 'best practices',
  seo: 'SEO',
};

const sayCategory = (name: string): string => categoryWords[name] ?? name;

const sideWords = { psi: 'remote', lighthouse: 'local' } as const;

const tellFlips = ({ audits }: Comparison, category: string): string => {
  const flipped = audits.flipped
    .filter(({ categories }) => (categories as string[]).includes(category))
    .map(({ id, fault_on: side }) => (side ? `the ${sideWords[side]} side saw a fault in ${id}` : id));
  return flipped.length > 0 ? ` (${cutTo(flipped, maxNamed)})` : '';
};

const tellOthers = (comparison: Comparison): string[] => {
  const others = Object.entries(comparison.scores).filter(([name]) => name !== 'performance');
  const same = others.filter(([, { difference }]) => difference === 0).map(([name]) => sayCategory(name));
  const apart = others.filter(([, { difference }]) => difference !== 0 && difference !== null);
  return [
    ...apart.map(
      ([name, { difference }]) =>
        `${sayCategory(name)} differs by ${withSign(difference ?? 0)}${tellFlips(comparison, name)}`,
    ),
    ...(same.length > 0 ? [`${joined(same)} ${same.length === 1 ? 'is' : 'are'} the same`] : []),
  ];
};

/** What cannot be compared, because a side gave it no score. */
const tellUnscored = ({ scores }: Comparison): string[] => {
  const all = Object.entries(scores).map(([name, pair]) => ({ word: sayCategory(name), ...pair }));
  const neither = all.filter(({ psi, lighthouse }) => psi === null && lighthouse === null);
  const remote = all.filter(({ psi, lighthouse }) => psi !== null && lighthouse === null);
  const local = all.filter(({ psi, lighthouse }) => psi === null && lighthouse !== null);
  const told = [
    [remote, joined(remote.map(({ word, psi }) => `${word} (${psi})`)), 'only the remote side scored'],
    [local, joined(local.map(({ word, lighthouse }) => `${word} (${lighthouse})`)), 'only the local side scored'],
    [
      neither,
      joined(
        neither.map(({ word }) => word),
        'or',
      ),
      'neither side scored',
    ],
  ] as const;
  return told.flatMap(([found, words, who]) => (found.length > 0 ? [`${who} ${words}`] : []));
};

const sayMs = (value: unknown): string => `${Math.round(Number(value))} ms`;

/** Less is seen on one machine while it is busy. */
const lateMs = 400;

const toLateWords = ({ fact, psi, lighthouse }: Evidence): string =>
  `the server took ${sayMs(psi)} to send ${fact.replace(/^answer_ms /, '')} to the remote side and ${sayMs(lighthouse)} to send it to this side`;

const toResponseWords = (psi: unknown, lighthouse: unknown): string[] =>
  typeof psi === 'number' && typeof lighthouse === 'number' && Math.abs(psi - lighthouse) >= lateMs
    ? [`the server took ${sayMs(psi)} to answer the remote side and ${sayMs(lighthouse)} to answer this side`]
    : [];

const toProtocolWords = ({ fact, psi, lighthouse }: Evidence): string =>
  `${fact.replace(/^protocol /, '')} answered the remote side by ${psi} and this side by ${lighthouse}`;

/**
 * A server that answered much later is worth a word whatever it cost: the document, else a single file. Another protocol
 * is where the scores are apart.
 */
const tellServer = ({ causes }: Comparison, isApart: boolean): string[] => {
  const evidence = causes.find(({ cause }) => cause === 'server')?.evidence ?? [];
  const response = evidence.find(({ fact }) => fact === 'server_response_ms');
  const single = evidence.find(({ fact }) => fact.startsWith('answer_ms '));
  const protocol = isApart ? evidence.find(({ fact }) => fact.startsWith('protocol ')) : undefined;
  return [
    ...toResponseWords(response?.psi, response?.lighthouse),
    ...(single ? [toLateWords(single)] : []),
    ...(protocol ? [toProtocolWords(protocol)] : []),
  ].slice(0, 1);
};

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
