/** Values by audit id: score 0 to 1, value in the metric's own unit. */
type Audited = Readonly<Record<string, { readonly score: number | null; readonly value: number | null }>>;

/** Returns null if any value is missing. */
function meanOf(values: readonly (number | null | undefined)[]): number | null {
  const numbers = values.filter(value => typeof value === 'number');
  if (numbers.length < values.length) return null;
  return numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}

/** Returns the means over several simulations of one load; undefined if there are none, or one of them is empty. */
export function averageAudits(all: readonly Audited[]): Audited | undefined {
  const [first] = all;
  if (!first || all.some(audited => Object.keys(audited).length === 0)) return undefined;
  return Object.fromEntries(
    Object.keys(first).map(id => [
      id,
      { score: meanOf(all.map(audited => audited[id]?.score)), value: meanOf(all.map(audited => audited[id]?.value)) },
    ]),
  );
}
