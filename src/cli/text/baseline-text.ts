import type { BaselineCheck } from '../compare-baseline.ts';
import type { Screen } from './terminal/screen.ts';
import { indentText } from './terminal/width.ts';

export const statusMarks = {
  better: ['✓ better', 'green'],
  no_difference: ['✓ no difference', 'green'],
  undecided: ['? undecided', 'yellow'],
  worse: ['✗ worse', 'red'],
} as const;

/** Formats comparisons with the baseline, page by page: the verdict and its sentence. */
export const toBaselineText = (
  { paint, columns }: Screen,
  baseline: string,
  checks: readonly BaselineCheck[],
): string =>
  checks
    .flatMap(({ url, strategy, source, verdict, fault }) => {
      const [word, color] = verdict ? statusMarks[verdict.status] : (['✗ not compared', 'red'] as const);
      const about = `${url} (${strategy}, ${source}) against ${baseline}`;
      const said = (verdict?.explanation ?? fault ?? '').split('\n').map(line => indentText(line, columns, '  '));
      return [`${paint(color, word)}  ${about}`, ...said];
    })
    .join('\n')
    .concat('\n');
