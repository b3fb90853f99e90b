/** How many letters have to be put in, taken out or changed. */
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

/** The name that was probably meant; undefined when none is near: a third of its letters may be wrong, but two at least. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const near = names
    .map(name => ({ name, edits: editsBetween(given.toLowerCase(), name) }))
    .filter(({ name, edits }) => edits <= Math.max(2, Math.floor(name.length / 3)) && edits < name.length);
  return near.toSorted((a, b) => a.edits - b.edits)[0]?.name;
}

/** ` Did you mean X?`, or nothing. */
export const toHint = (given: string, names: readonly string[], prefix = ''): string => {
  const name = nearestName(given, names);
  return name === undefined ? '' : `; did you mean ${prefix}${name}?`;
};
