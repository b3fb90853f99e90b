/** Reads what Lighthouse CI's command, or its server's database, says about a build. */
import type { Build, BuildFacts } from '../../storage/builds/builds.ts';

/** One line without control characters; empty for anything but text. */
export const toLine = (value: unknown, maxCharacters = 256): string =>
  typeof value === 'string'
    ? value
        .replaceAll(/\p{Cc}+/gu, ' ')
        .trim()
        .slice(0, maxCharacters)
        .toWellFormed()
    : '';

/** @returns undefined for what is no time; SQLite's `2020-01-01 00:00:00.000 +00:00` is one */
export const readTime = (value: unknown): number | undefined => {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return ms >= 0 ? ms : undefined;
};

/** `main@1a2b3c4-0f9e8d7c`, in the form of `rangelight ci`, which finds it as the baseline of its branch. */
const toLabel = (branch: string, hash: string, id: string): string =>
  `${branch.slice(0, 60)}@${hash.slice(0, 7)}-${id.slice(0, 8)}`.toWellFormed();

const factNames = [
  ...['commitMessage', 'author', 'avatarUrl', 'externalBuildUrl'],
  ...['committedAt', 'ancestorCommittedAt'],
];

type Given = Readonly<Record<string, unknown>>;
type Place = Pick<Build, 'id' | 'projectId' | 'createdAtMs' | 'lifecycle'>;

/** @returns undefined without a branch or a hash */
export function toBuild(given: Given, place: Place): Build | undefined {
  const [branch, hash] = [toLine(given.branch), toLine(given.hash)];
  if (branch === '' || hash === '') return undefined;
  const facts: BuildFacts = Object.fromEntries(
    factNames.map(name => [name, toLine(given[name])]).filter(([, text]) => text !== ''),
  );
  return {
    ...place,
    hash,
    branch,
    label: toLabel(branch, hash, place.id),
    ancestorHash: toLine(given.ancestorHash) || null,
    runAtMs: readTime(given.runAt) ?? place.createdAtMs,
    facts,
  };
}
