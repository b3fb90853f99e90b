export function printTable(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  console.log(`\n## ${title}\n`);
  for (const cells of [head, head.map(() => '---'), ...rows]) console.log(line(cells));
}

export const toPercent = (count: number, of: number): string => (of === 0 ? '–' : ((100 * count) / of).toFixed(1));

/** Counts how many of the drawn things pass each test. */
export function countTrue<Thing>(times: number, draw: () => Thing, tests: readonly ((thing: Thing) => boolean)[]) {
  const counts = tests.map(() => 0);
  for (let time = 0; time < times; time += 1) {
    const thing = draw();
    tests.forEach((test, at) => {
      if (test(thing)) counts[at] = (counts[at] as number) + 1;
    });
  }
  return counts;
}
