/** The categories other than performance, and those that a side gave no score. */
import type { Comparison } from '../../../contract/analysis/comparison.ts';
import { cutTo, joined, maxNamed, withSign } from '../phrases.ts';

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

export const tellOthers = (comparison: Comparison): string[] => {
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
export const tellUnscored = ({ scores }: Comparison): string[] => {
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
