/** Reads the facts of a build from Lighthouse CI's command or from its server's database. */
import { toBuildLabel } from '../../contract/stored/build-label.ts';
import type { Build, BuildFacts, Project } from '../../storage/lhci/builds.ts';

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

/** Lighthouse was released in 2016. */
const earliestMs = Date.UTC(2016, 0, 1);
/** Tolerance for clocks that are slightly ahead. */
const mostAheadMs = 10 * 60_000;

/** Returns whether a build can be of that time, or a result: a later one would be the newest of its page for years. */
export const isPossibleTime = (ms: number, nowMs = Date.now()): boolean =>
  ms >= earliestMs && ms <= nowMs + mostAheadMs;

/** Parses a time. @returns undefined if it is invalid or not possible */
export const readPossibleTime = (value: unknown): number | undefined => {
  const ms = readTime(value);
  return ms !== undefined && isPossibleTime(ms) ? ms : undefined;
};

const maxSlugCharacters = 40;

/** Builds the name of a project in links and labels, with `a` to `z`, digits and `-` only. */
export const toSlug = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, maxSlugCharacters) || 'project';

/** Adds a suffix, because another project has the same slug. */
export const withSuffix = (slug: string, suffix: string): string =>
  `${slug.slice(0, maxSlugCharacters - 1 - suffix.length)}-${suffix}`;

/**
 * Builds a label such as `shop:main@1a2b3c4-0f9e8d7c`, by which `rangelight ci` finds the baseline of a project's
 * branch. It begins with the slug, which has no colon, so no name of a branch makes it the label of another
 * project, nor of a pipeline without a project.
 */
const toLabel = (slug: string, { branch, hash, id }: { branch: string; hash: string; id: string }): string =>
  toBuildLabel({ branch: `${slug}:${branch}`, commit: hash, run: id.slice(0, 8) }).toWellFormed();

const factNames = [
  ...['commitMessage', 'author', 'avatarUrl', 'externalBuildUrl'],
  ...['committedAt', 'ancestorCommittedAt'],
];

/** @returns undefined if the branch or the hash is missing */
export function toBuild(
  given: Readonly<Record<string, unknown>>,
  project: Pick<Project, 'id' | 'slug'>,
  place: Pick<Build, 'id' | 'createdAtMs' | 'lifecycle'>,
): Build | undefined {
  const [branch, hash] = [toLine(given.branch), toLine(given.hash)];
  if (branch === '' || hash === '') return undefined;
  const facts: BuildFacts = Object.fromEntries(
    factNames.map(name => [name, toLine(given[name])]).filter(([, text]) => text !== ''),
  );
  return {
    ...place,
    projectId: project.id,
    hash,
    branch,
    label: toLabel(project.slug, { branch, hash, id: place.id }),
    ancestorHash: toLine(given.ancestorHash) || null,
    runAtMs: readPossibleTime(given.runAt) ?? place.createdAtMs,
    facts,
  };
}
