/** Reads the facts of a build from Lighthouse CI's command or from its server's database. */
import type { Build, BuildFacts } from '../../storage/lhci/builds.ts';

/** Returns text as one line without control characters; empty for a value that is not text. */
export const toLine = (value: unknown, maxCharacters = 256): string =>
  typeof value === 'string'
    ? value
        .replaceAll(/\p{Cc}+/gu, ' ')
        .trim()
        .slice(0, maxCharacters)
        .toWellFormed()
    : '';

/** Parses a time, such as SQLite's `2020-01-01 00:00:00.000 +00:00`. @returns undefined if it is invalid */
export const readTime = (value: unknown): number | undefined => {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return ms >= 0 ? ms : undefined;
};

/** Builds a label such as `main@1a2b3c4-0f9e8d7c`, by which `rangelight ci` finds the baseline of a branch. */
const toLabel = (branch: string, hash: string, id: string): string =>
  `${branch.slice(0, 60)}@${hash.slice(0, 7)}-${id.slice(0, 8)}`.toWellFormed();

const factNames = [
  ...['commitMessage', 'author', 'avatarUrl', 'externalBuildUrl'],
  ...['committedAt', 'ancestorCommittedAt'],
];

type Given = Readonly<Record<string, unknown>>;
type Place = Pick<Build, 'id' | 'projectId' | 'createdAtMs' | 'lifecycle'>;

/** @returns undefined if the branch or the hash is missing */
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
