import { html } from 'lit-html';
import type { ExperimentAnswer } from '../../contract/experiments/answer.ts';
import { hostOf } from '../../presentation/download-name.ts';
import { experimentView } from '../views/experiment-view.ts';
import { toFilePolicy } from './file-policy.ts';
import { toScriptJson } from './markup.ts';
import { readStyle, reportStyle, toOwnPage } from './own-page.ts';
import { toHtml } from './template-html.ts';

const style = ['change', 'experiment'].map(readStyle).join('\n');

/** Content security policy of the report, which has no script. */
const experimentPolicy: string = toFilePolicy({ styles: [reportStyle + style] });

/**
 * Renders an experiment as one self-contained HTML file, which also contains the answer as JSON, for programs.
 * @param answer the body of `GET /experiments/{id}`
 */
export const renderExperiment = (answer: ExperimentAnswer): string =>
  toOwnPage({
    title: `${hostOf(answer.url)}, ${answer.strategy}, experiment`,
    style,
    body: toHtml(html`<main><section class="sheet experiment stack">
  <h1><span class="quiet">Experiment on</span> <span class="url">${answer.url}</span></h1>
  ${experimentView(answer)}
</section></main>`),
    policy: experimentPolicy,
    end: `<script type="application/json" id="experiment">${toScriptJson(answer)}</script>`,
  });

/** Returns the report of an experiment with its policy, as it is sent. */
export const toExperimentReport = (answer: ExperimentAnswer) => ({
  html: Buffer.from(renderExperiment(answer)),
  policy: experimentPolicy,
});
