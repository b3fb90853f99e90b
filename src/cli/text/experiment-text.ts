/** Formats the answer of an experiment for a terminal: one sentence for each variant. */
import type { ExperimentAnswer } from '../../contract/experiments/answer.ts';
import { sayControl, sayDisturbed, sayFailed, sayPrediction, sayVariant } from '../../presentation/experiment-words.ts';
import { statusMarks } from './baseline-text.ts';
import type { Screen } from './terminal/screen.ts';
import { indentText } from './terminal/width.ts';

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
