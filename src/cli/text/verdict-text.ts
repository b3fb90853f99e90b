/** Formats verdicts for a terminal: on results against their baseline, and on the variants of an experiment. */
import type { ExperimentAnswer } from '../../contract/experiments/answer.ts';
import { sayControl, sayDisturbed, sayFailed, sayPrediction, sayVariant } from '../../presentation/experiment-words.ts';
import type { BaselineCheck } from '../compare-baseline.ts';
import type { Screen } from './terminal/screen.ts';
import { indentText } from './terminal/width.ts';

const statusMarks = {
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
      const about = `${paint(color, word)}  ${url} (${strategy}, ${source}) against ${baseline}`;
      const said = (verdict?.explanation ?? fault ?? '').split('\n').map(line => indentText(line, columns, '  '));
      return [indentText(about, columns, '', '  '), ...said];
    })
    .join('\n')
    .concat('\n');

/** Formats the answer of an experiment for a terminal: one sentence for each variant. */
export function toExperimentText(screen: Screen, answer: ExperimentAnswer): string {
  const { paint, columns } = screen;
  const disturbedPage = sayDisturbed(answer.control.disturbed_loads, 'page');
  const about = [sayFailed(answer), disturbedPage, sayControl(answer)].filter(text => text !== undefined);
  const lines = answer.variants.flatMap(variant => {
    const [word, color] = statusMarks[variant.status];
    const said = [
      sayVariant(variant, answer.metric),
      sayPrediction(variant, answer.metric),
      ...variant.notes,
      sayDisturbed(variant.disturbed_loads, 'variant'),
    ].filter(text => text !== undefined);
    return [`${paint(color, word)}  ${variant.name}`, ...said.map(text => indentText(text, columns, '  '))];
  });
  return `${[...lines, ...about.map(text => indentText(text, columns, ''))].join('\n')}\n`;
}
