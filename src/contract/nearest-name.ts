/** Finds the intended name for a misspelled one: options, settings, query parameters, fields of a body. */

/** Returns the Levenshtein distance: the number of letters to insert, delete or replace. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [above, letter] of [...one].entries()) {
    const next = [above + 1];
    for (const [left, wanted] of [...other].entries())
      next.push(
        Math.min((next[left] ?? 0) + 1, (row[left + 1] ?? 0) + 1, (row[left] ?? 0) + (letter === wanted ? 0 : 1)),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}

const maxHints = 3;

/** Returns the letters in alphabetical order: two swapped letters are one mistake. */
const toLetters = (text: string): string => [...text].sort().join('');

/** Returns whether a part of a name starts with this text: `perf`, or `paint` for `first-contentful-paint`. */
const beginsAPart = (given: string, name: string): boolean => given.length > 1 && `-${name}`.includes(`-${given}`);

/**
 * Returns the names that were probably meant: one with a single wrong letter; else those that start with the text, or
 * have a part that does; else one with up to a third of its letters wrong.
 */
export function nearestNames(given: string, names: readonly string[]): string[] {
  const text = given.toLowerCase();
  const [nearest] = names
    .map(name => ({ name, edits: toLetters(text) === toLetters(name) ? 1 : editsBetween(text, name) }))
    .filter(({ name, edits }) => edits <= Math.max(1, Math.floor(name.length / 3)) && edits < name.length)
    .toSorted((a, b) => a.edits - b.edits);
  if (nearest && nearest.edits < 2) return [nearest.name];
  const alike = names.filter(name => beginsAPart(text, name)).slice(0, maxHints);
  return alike.length > 0 ? alike : nearest ? [nearest.name] : [];
}

/** Returns the max number of edits. Names of fewer than eight letters allow one: `level` is not `label`. */
const editsAllowed = ({ length }: string): number => (length < 8 ? 1 : Math.max(2, Math.floor(length / 3)));
/** Max length of a name of which no letter may be another one: `uri` is not `url`. */
const shortest = 3;

/**
 * Returns the name that `given` misspells, for inputs in which other unknown names are allowed. It is stricter than
 * `nearestNames`, because these may belong to other programs. `-`, `_` and case are ignored.
 * @returns undefined if `given` is one of the names, or similar to none of them
 */
export function misspelledName(given: string, names: readonly string[]): string | undefined {
  if (names.includes(given)) return undefined;
  // Longer text cannot be a misspelled name.
  if (given.length > 50) return undefined;
  const plain = (name: string): string => name.toLowerCase().replaceAll('-', '_');
  const [nearest] = names
    // Each extra or missing letter is an edit.
    .filter(name => Math.abs(name.length - given.length) <= editsAllowed(name))
    .filter(name => name.length > shortest || name.length !== given.length || plain(name) === plain(given))
    .map(name => ({ name, edits: editsBetween(plain(given), plain(name)) }))
    .filter(({ name, edits }) => edits <= editsAllowed(name))
    .toSorted((a, b) => a.edits - b.edits);
  return nearest?.name;
}

const otherNames: Readonly<Record<string, string>> = { device: 'strategy', formfactor: 'strategy' };
/** Min length of a beginning that counts as the whole name. */
const leastBeginning = 5;

/** Returns the name that `given` abbreviates, or that other tools give to the same thing. */
export function abbreviatedName(given: string, names: readonly string[]): string | undefined {
  if (names.includes(given)) return undefined;
  const text = given.toLowerCase().replaceAll(/[-_]/g, '');
  return names.find(name => otherNames[text] === name || (text.length >= leastBeginning && name.startsWith(text)));
}

const eitherOf = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

/** Returns `; did you mean X?`, or an empty string. */
export const toHint = (given: string, names: readonly string[], prefix = ''): string => {
  const meant = nearestNames(given, names).map(name => `${prefix}${name}`);
  return meant.length === 0 ? '' : `; did you mean ${eitherOf(meant)}?`;
};

/** Returns `; did you mean X?`, or else `; choose from` every name. */
export const toChoiceHint = (given: string, names: readonly string[]): string =>
  toHint(given, names) || `; choose from ${names.join(', ')}`;
