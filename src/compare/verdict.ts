import type { Cause, CauseName, Comparison } from '../contract/comparison.ts';
import type { Analyser } from '../contract/result.ts';
import { countPoints } from './numbers.ts';

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
  run_noise: 'run noise',
  unexplained: 'no known cause',
};

const nameOf = ({ kind, host }: Analyser): string => {
  if (kind === 'google') return 'PageSpeed Insights';
  return kind === 'embedded' ? 'the embedded analyser' : `the remote analyser at ${host}`;
};

const withSign = (points: number): string => `${points > 0 ? '+' : '−'}${Math.abs(points)}`;

/** `a`, `a and b`, `a, b and c` */
const joined = (words: readonly string[], last = 'and'): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;

const toShare = ({ cause, points, certainty }: Cause): string =>
  `${withSign(points ?? 0)} by ${causeWords[cause]}${cause === 'unexplained' ? '' : ` (${certainty})`}`;

/** A sentence has room for two. */
const maxNamed = 2;

const tellPerformance = ({ scores, causes }: Comparison, remote: string): string[] => {
  const { psi, lighthouse, difference } = scores.performance ?? {};
  if (typeof difference !== 'number') return [];
  const named = causes
    .filter(({ category, points }) => category === 'performance' && points !== null && Math.abs(points) >= 1)
    .slice(0, maxNamed);
  const reasons = named.length > 0 ? `: ${joined(named.map(toShare))}` : '';
  if (difference === 0) return [`both sides score performance ${lighthouse}${reasons}`];
  const direction = difference > 0 ? 'higher' : 'lower';
  return [
    `Lighthouse on this machine scores performance ${countPoints(Math.abs(difference))} ${direction} than ${remote} (${lighthouse} against ${psi})${reasons}`,
  ];
};

const sideWords = { psi: 'remote', lighthouse: 'local' } as const;

const tellFlips = ({ audits }: Comparison, category: string): string => {
  const named = audits.flipped
    .filter(({ categories }) => (categories as string[]).includes(category))
    .slice(0, maxNamed)
    .map(({ id, fault_on: side }) => (side ? `the ${sideWords[side]} side saw a fault in ${id}` : id));
  return named.length > 0 ? ` (${joined(named)})` : '';
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

const startUpper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The comparison in one sentence. It names differences and reasons, and calls neither side right. */
export function toVerdict(comparison: Comparison, analyser: Analyser): string {
  const isOther = comparison.causes.some(
    ({ cause, certainty }) => cause === 'different_page' && certainty === 'observed',
  );
  const isSplit = typeof comparison.scores.performance?.difference === 'number';
  const parts = [
    ...(isOther ? ['the two sides did not load the same page'] : []),
    ...tellPerformance(comparison, nameOf(analyser)),
    ...tellOthers(comparison),
    ...tellUnscored(comparison),
    ...(isSplit && comparison.re_audits.status === 'not_possible'
      ? ['what the settings cost could not be computed']
      : []),
    ...(analyser.kind === 'embedded' ? ['both sides ran on this machine'] : []),
  ];
  return `${startUpper(parts.length > 0 ? parts.join('; ') : 'there is nothing that both sides scored')}.`;
}
