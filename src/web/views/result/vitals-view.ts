/** Displays Core Web Vitals: of visitors (field) and of this run (lab), always separately. */
import { html, nothing, svg } from 'lit-html';
import type { FieldMetric, FieldVitals, LabVitals } from '../../../contract/result/metrics.ts';
import type { Result } from '../../../contract/result/result.ts';
import { sayEarliest, sayLabAgainstField } from '../../../presentation/lab-and-field.ts';
import { formatValue, type Unit } from '../../../presentation/numbers.ts';
import { toResultRow } from '../../../presentation/result-rows.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { metricWords, tableMetrics } from '../../../presentation/words.ts';
import { ratedValue, rowValue, segments, sideLight } from '../marks.ts';

const fieldNames = {
  largest_contentful_paint: 'Largest Contentful Paint',
  interaction_to_next_paint: 'Interaction to Next Paint',
  cumulative_layout_shift: 'Cumulative Layout Shift',
  first_contentful_paint: 'First Contentful Paint',
  time_to_first_byte: 'Time to First Byte',
} as const satisfies Partial<Record<keyof FieldVitals, string>>;

const shareClasses = ['good', 'needs-improvement', 'poor'] as const;

const distribution = (shares: FieldMetric['distribution']) => {
  const percents = shares.map(share => Math.round(share * 100));
  const said = `Of 100 visits ${percents[0]} were good, ${percents[1]} needed improvement, ${percents[2]} were poor.`;
  return html`<svg class="shares" role="img" aria-label=${said}>
    ${segments(shares).map(({ x, width }, at) => svg`<rect class="zone ${shareClasses[at] ?? ''}" x=${x} width=${width} height="8" />`)}
  </svg>`;
};

const row = (name: string, value: unknown, below: unknown = nothing) =>
  html`<li class="vital"><span>${name}</span>${value}${below}</li>`;

const fieldRow = (
  name: keyof typeof fieldNames,
  { p75, unit, rating, distribution: shares }: FieldMetric,
  history: FieldVitals['history'],
) => {
  const earliest = sayEarliest(history, name, unit as Unit);
  return row(
    fieldNames[name],
    ratedValue(formatValue(p75, unit as Unit), rating),
    html`${distribution(shares)}${earliest === undefined ? nothing : html`<span class="small quiet">${earliest}</span>`}`,
  );
};

const assessments = {
  passed: 'Passed: good for enough visitors.',
  failed: 'Failed: not good for enough visitors.',
};

const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const sayDay = (date: string): string => days.format(new Date(date));

const fieldPart = (field: FieldVitals) => html`
  <p class="small quiet">
    ${field.assessment ? assessments[field.assessment] : 'Too few visits for an assessment.'}
    ${field.scope === 'url' ? 'Three out of four visits to this page' : 'No data for this page alone: three out of four visits to the whole site'}
    had these values or better${field.period ? `, from ${sayDay(field.period.first_date)} to ${sayDay(field.period.last_date)}` : ''}.
  </p>
  <ul class="plain">
    ${(Object.keys(fieldNames) as (keyof typeof fieldNames)[]).map(name => {
      const metric = field[name];
      return metric ? fieldRow(name, metric, field.history) : nothing;
    })}
  </ul>`;

const noField = ({ source, analyser }: Result): string => {
  if (source === 'lighthouse') return 'No field data: a local run has none.';
  if (analyser.kind === 'embedded') return 'No field data. Set CRUX_API_KEY to show what Google has.';
  return analyser.kind === 'custom'
    ? 'No field data from the PSI server.'
    : 'No field data: Google has none for this page.';
};

const labRow = (results: readonly Result[], name: keyof LabVitals, names: SideNames) =>
  row(
    metricWords[name].label,
    html`<span class="lab-values row">${results.map(result => {
      const side = results.length > 1 ? sideLight(result.source, names) : nothing;
      return html`<span>${side}${rowValue(toResultRow(result, name))}</span>`;
    })}</span>`,
  );

/** Displays where loads and visits disagree; the name of a side only next to another one. */
const disagreements = (results: readonly [Result, ...Result[]], names: SideNames) =>
  results.flatMap(result =>
    sayLabAgainstField(result, results[0].core_web_vitals.field).map(
      said => html`<p class="small">${results.length > 1 ? html`${names[result.source].short}: ` : nothing}${said}</p>`,
    ),
  );

/** @param results one result, or both sides with the PSI side first: only that side has field data */
export const vitalsView = (results: readonly [Result, ...Result[]], names: SideNames) => {
  const [result] = results;
  const { field } = result.core_web_vitals;
  return html`<section class="vitals">
    <h3>Core web vitals</h3>
    <div class="vital-parts">
      <div>
        <h4>Field: what visitors had</h4>
        ${field ? fieldPart(field) : html`<p class="small quiet">${noField(result)}</p>`}
      </div>
      <div>
        <h4>Lab: what this run had</h4>
        <ul class="plain">
          ${tableMetrics.map(name => labRow(results, name, names))}
        </ul>
        <p class="small quiet">A lab run has no clicks: blocking time stands in for Interaction to Next Paint.</p>
        ${
          field && result.strategy === 'desktop'
            ? html`<p class="small quiet">Lighthouse's desktop thresholds are stricter than those for field data.</p>`
            : nothing
        }
      </div>
    </div>
    ${disagreements(results, names)}
  </section>`;
};
