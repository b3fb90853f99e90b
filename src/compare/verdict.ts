import type { Cause, CauseName, Comparison, Evidence } from '../contract/comparison.ts';
import type { Analyser } from '../contract/result.ts';
import { leastStatedPoints, missesRunsBy, toFloor } from './noise.ts';
import { countPoints } from './numbers.ts';
import { costWords } from './page-experiment.ts';

const categoryWords: Readonly<Record<string, string>> = {
  performance: 'performance',
  accessibility: 'accessibility',
  'best-practices': 'best practices',
  seo: 'SEO',
};

const causeWords: Readonly<Record<CauseName, string>> = {
  different_page: 'a different page',
  throttling: 'the network each side imitates',
  cpu: 'the processor each side imitates',
  server: "the server's answer times",
  audits: 'audits that came out differently',
  one_sided_audits: 'audits that only one side counted',
  form_factor: 'the device each side imitates',
  lighthouse_version: 'the versions of Lighthouse',
  chrome_version: 'the versions of the browser',
  cached_answer: 'the age of the remote answer',
  run_noise: 'run noise: the same work fell elsewhere in the load',
  unexplained: 'no known cause',
  machine: 'the speed of the machines',
  simulation: 'the simulation of a slow network, not by the loads themselves',
  disturbed_run: 'a disturbed run',
};

const isProtocol = (fact: string): boolean => fact.startsWith('protocol ');

const wordsOf = ({ cause, evidence }: Cause): string =>
  cause === 'server' && evidence.length > 0 && evidence.every(({ fact }) => isProtocol(fact))
    ? 'the protocol of the server'
    : causeWords[cause];

const nameOf = ({ kind, host }: Analyser): string => {
  if (kind === 'google') return 'PageSpeed Insights';
  return kind === 'embedded' ? 'the embedded analyser' : `the remote analyser at ${host}`;
};

const withSign = (points: number): string => `${points > 0 ? '+' : '−'}${Math.abs(points)}`;

/** `a`, `a and b`, `a, b and c` */
const joined = (words: readonly string[], last = 'and'): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;

/** The first of them, and whether there are more. */
const cutTo = (words: readonly string[], most: number): string =>
  words.length > most ? `${words.slice(0, most).join(', ')} and others` : joined(words);

/** A sentence has room for two. */
const maxNamed = 2;

const isAnotherPage = ({ causes }: Comparison): boolean =>
  causes.some(({ cause, certainty }) => cause === 'different_page' && certainty !== 'possible');

const sayCertainty = ({ certainty, points_range: range }: Cause): string =>
  range && range.min !== range.max
    ? `${certainty}, ${withSign(range.min)} to ${withSign(range.max)} over ${range.runs} runs`
    : certainty;

type Gap = { difference: number; floor: number };

/** A cost beyond the difference itself is not shown by it. */
const toShare = (cause: Cause, difference: number, floor: number): string => {
  const points = cause.points ?? 0;
  return Math.abs(points) > Math.abs(difference) + floor
    ? `all of it by ${causeWords[cause.cause]} (${sayCertainty(cause)})`
    : `${withSign(points)} by ${causeWords[cause.cause]} (${sayCertainty(cause)})`;
};

const isOneWay = ({ min, max }: { min: number; max: number }): boolean => min * max > 0;

/** What is said of a difference: what moved the score the same way, by more than what two runs of one page show. */
const isStatement = ({ points, points_range: range }: Cause, difference: number): boolean =>
  points !== null &&
  points * difference > 0 &&
  Math.abs(points) >= leastStatedPoints &&
  (range === undefined || isOneWay(range));

/** Observed, and what they cost is not known. */
const openNames: ReadonlySet<CauseName> = new Set(['throttling', 'cpu', 'server', 'form_factor', 'lighthouse_version']);

const isOpenCause = ({ cause, certainty, points }: Cause): boolean =>
  certainty === 'possible' || (points === null && openNames.has(cause));

const restNames: ReadonlySet<CauseName> = new Set(['run_noise', 'unexplained']);

/** What was left and is nothing by itself. Noise that was seen, and not only assumed, has evidence. */
const isRest = ({ cause, evidence }: Cause): boolean => restNames.has(cause) && evidence.length === 0;

/** For a sentence about performance; what is of no score may bear on this one. */
const bears = ({ category }: Cause): boolean => category === 'performance' || category === null;

const isStated = (cause: Cause, difference: number): boolean =>
  cause.certainty !== 'possible' && isStatement(cause, difference);

const sumOf = (causes: readonly Cause[]): number => causes.reduce((sum, { points }) => sum + (points ?? 0), 0);

const nameAll = (causes: readonly Cause[]): string => cutTo(causes.map(wordsOf), maxNamed);

/** What moved the score, and how far. Causes beyond the difference itself that work against each other have no share. */
function toShares(causes: readonly Cause[], stated: readonly Cause[], { difference, floor }: Gap): string[] {
  if (stated.length === 0) return [];
  const against = causes.filter(cause => isStated(cause, -difference));
  const certainties = [...new Set([...stated, ...against].map(({ certainty }) => certainty))];
  if (Math.abs(sumOf(against)) > Math.abs(difference))
    return [
      `${nameAll(stated)} ${stated.length === 1 ? 'outweighs' : 'outweigh'} ${nameAll(against)} (${joined(certainties)})`,
    ];
  return [
    cutTo(
      stated.map(cause => toShare(cause, difference, floor)),
      maxNamed,
    ),
  ];
}

/** Whether what is stated leaves more than two runs of one page show. */
const isMoreThanStated = ({ noise }: Comparison, difference: number, stated: readonly Cause[]): boolean =>
  Math.abs(stated.reduce((rest, { points }) => rest - (points ?? 0), difference)) > toFloor(noise);

const toReasons = (comparison: Comparison, difference: number): string => {
  const floor = toFloor(comparison.noise);
  const causes = comparison.causes.filter(cause => bears(cause) && !isRest(cause));
  const stated = causes.filter(cause => isStated(cause, difference));
  const isLeft = isMoreThanStated(comparison, difference, stated);
  const isDisturbed = causes.some(({ cause }) => cause === 'disturbed_run');
  const possible = causes.filter(
    cause =>
      isOpenCause(cause) &&
      (cause.points === null || isStatement(cause, difference)) &&
      !(cause.cause === 'cpu' && isDisturbed),
  );
  const rest = comparison.causes.find(({ cause }) => cause === 'unexplained');
  const isOpen = rest !== undefined && rest.certainty === 'observed' && isStatement(rest, difference);
  const parts = [
    ...toShares(causes, stated, { difference, floor }),
    ...(possible.length > 0 && isLeft && !isAnotherPage(comparison)
      ? [
          `possibly ${cutTo(
            possible.map(cause => `by ${wordsOf(cause)}`),
            maxNamed,
          )}`,
        ]
      : []),
    ...(isOpen && possible.length === 0 ? [`${withSign(rest.points ?? 0)} by no known cause`] : []),
  ];
  return parts.length > 0 ? `: ${parts.join('; ')}` : '';
};

/** Why the difference of the scores is none; undefined where it is one. */
const sayNoise = ({ noise }: Comparison, difference: number): string | undefined => {
  const own = noise?.scores.performance;
  const beyond = missesRunsBy(noise);
  if (noise && own && beyond !== undefined)
    return `, but ${own.psi} lies ${beyond > 0 ? `only ${countPoints(beyond)} beyond` : 'inside'} the ${noise.runs} local runs (${own.min} to ${own.max})`;
  if (own) return Math.abs(difference) <= toFloor(noise) ? ', no more than the local runs differ by' : undefined;
  return Math.abs(difference) <= toFloor(noise) ? ', no more than two runs of one page differ by' : undefined;
};

const tellPerformance = (comparison: Comparison, remote: string): string[] => {
  const { psi, lighthouse, difference } = comparison.scores.performance ?? {};
  if (typeof difference !== 'number') return [];
  if (difference === 0) return [`both sides score performance ${lighthouse}`];
  const direction = difference > 0 ? 'higher' : 'lower';
  const gap = `Lighthouse on this machine scores performance ${countPoints(Math.abs(difference))} ${direction} than ${remote} (${lighthouse} against ${psi})`;
  const noise = isAnotherPage(comparison) ? undefined : sayNoise(comparison, difference);
  return [`${gap}${noise ?? toReasons(comparison, difference)}`];
};

const sayMs = (value: unknown): string => `${Math.round(Number(value))} ms`;

/** Whether there is more to say of the scores than that they are alike. */
const isApart = ({ scores, noise }: Comparison): boolean =>
  Math.abs(scores.performance?.difference ?? 0) > toFloor(noise);

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

/** A server that answered much later is worth a word whatever it cost: the document, else a single file. Another protocol is where the scores are apart. */
const tellServer = (comparison: Comparison): string[] => {
  const { causes } = comparison;
  const evidence = causes.find(({ cause }) => cause === 'server')?.evidence ?? [];
  const response = evidence.find(({ fact }) => fact === 'server_response_ms');
  const single = evidence.find(({ fact }) => fact.startsWith('answer_ms '));
  const protocol = isApart(comparison) ? evidence.find(({ fact }) => isProtocol(fact)) : undefined;
  return [
    ...toResponseWords(response?.psi, response?.lighthouse),
    ...(single ? [toLateWords(single)] : []),
    ...(protocol ? [toProtocolWords(protocol)] : []),
  ].slice(0, 1);
};

const sideWords = { psi: 'remote', lighthouse: 'local' } as const;

const tellFlips = ({ audits }: Comparison, category: string): string => {
  const flipped = audits.flipped
    .filter(({ categories }) => (categories as string[]).includes(category))
    .map(({ id, fault_on: side }) => (side ? `the ${sideWords[side]} side saw a fault in ${id}` : id));
  return flipped.length > 0 ? ` (${cutTo(flipped, maxNamed)})` : '';
};

const tellOthers = (comparison: Comparison): string[] => {
  const others = Object.entries(comparison.scores).filter(([name]) => name !== 'performance');
  const same = others.filter(([, { difference }]) => difference === 0).map(([name]) => categoryWords[name] ?? name);
  const apart = others.filter(([, { difference }]) => difference !== 0 && difference !== null);
  return [
    ...apart.map(
      ([name, { difference }]) =>
        `${categoryWords[name] ?? name} differs by ${withSign(difference ?? 0)}${tellFlips(comparison, name)}`,
    ),
    ...(same.length > 0 ? [`${joined(same)} ${same.length === 1 ? 'is' : 'are'} the same`] : []),
  ];
};

/** What cannot be compared, because a side gave it no score. */
const tellUnscored = ({ scores }: Comparison): string[] => {
  const all = Object.entries(scores).map(([name, pair]) => ({ word: categoryWords[name] ?? name, ...pair }));
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

/** The comparison in one sentence. It names differences and reasons, and calls neither side right. */
export function toVerdict(
  comparison: Comparison,
  analyser: Analyser,
  isSameMachine = analyser.kind === 'embedded',
): string {
  const isSplit = typeof comparison.scores.performance?.difference === 'number';
  const [scores, server] = [tellPerformance(comparison, nameOf(analyser)), tellServer(comparison)];
  const parts = [
    ...tellPage(comparison, false),
    ...(isApart(comparison) ? [...scores, ...server] : [...server, ...scores]),
    ...tellPage(comparison, true),
    ...tellOthers(comparison),
    ...tellUnscored(comparison),
    ...(isSplit && comparison.re_audits.status === 'not_possible'
      ? ['what the settings cost could not be computed']
      : []),
    ...tellAge(comparison),
    ...(isSameMachine ? ['both sides ran on this machine'] : []),
  ];
  return `${startUpper(parts.length > 0 ? parts.join('; ') : 'there is nothing that both sides scored')}.`;
}
