import { html, nothing, svg } from 'lit-html';
import type { Source } from '../../../contract/errors.ts';
import type { MetricName, Strategy } from '../../../contract/names.ts';
import { labThresholdsOf, type Rating } from '../../../contract/result/thresholds.ts';
import { type Scale, toScale } from '../../../presentation/metric-range.ts';
import { formatValue } from '../../../presentation/numbers.ts';
import { type SideNames, sideOf } from '../../../presentation/side-names.ts';
import { metricWords, ratingWords } from '../../../presentation/words.ts';

export type MetricReading = {
  readonly source: Source;
  readonly value: number;
  readonly rating: Rating | null;
  /** Range over the runs of the result, or over earlier results of its page. */
  readonly spread?: { readonly min: number; readonly max: number } | undefined;
};

/** The PSI mark is above the bar and the local one below it: if the sides agree, one is above the other. */
const lights = {
  psi: { line: 'M0 7 V20', centre: 5 },
  lighthouse: { line: 'M0 12 V25', centre: 27 },
} as const;

const marker = (scale: Scale, { source, value }: MetricReading) => {
  const { line, centre } = lights[source];
  return svg`<svg x="${scale.place(value).percent}%" overflow="visible">
    <path class="needle" d=${line} />
    <circle class=${sideOf(source)} cy=${centre} r="5" />
  </svg>`;
};

/** Draws the range of a value as a line with ends at its minimum and maximum. */
const whisker = (scale: Scale, { source, spread }: MetricReading) => {
  if (!spread || spread.min === spread.max) return nothing;
  const { centre } = lights[source];
  const [from, to] = [scale.place(spread.min).percent, scale.place(spread.max).percent];
  const end = (at: number) => svg`<line x1="${at}%" x2="${at}%" y1=${centre - 4} y2=${centre + 4} />`;
  return svg`<g class="whisker ${sideOf(source)}"><line x1="${from}%" x2="${to}%" y1=${centre} y2=${centre} />${end(from)}${end(to)}</g>`;
};

const beyond = (scale: Scale, measured: readonly MetricReading[]) =>
  measured.some(({ value }) => scale.place(value).isBeyond)
    ? svg`<text x="100%" y="45" text-anchor="end"><tspan class="beyond">beyond </tspan>→</text>`
    : nothing;

const zone = (rating: string, from: number, to: number) =>
  svg`<rect class="zone ${rating}" x="${from}%" y="12" width="${to - from}%" height="8" />`;

/** Displays a threshold as text below the bar. */
const threshold = (percent: number, text: string) =>
  svg`<line class="threshold" x1="${percent}%" x2="${percent}%" y1="10" y2="22" /><text x="${percent}%" y="45" text-anchor="middle">${text}</text>`;

/** Displays a metric's ranges with every measured value; empty without values. */
export function metricRange(
  metric: MetricName,
  strategy: Strategy,
  measured: readonly MetricReading[],
  names: SideNames,
) {
  if (measured.length === 0) return nothing;
  const { unit } = metricWords[metric];
  const thresholds = labThresholdsOf(metric, strategy);
  const scale = toScale(thresholds);
  const [good, poor] = thresholds.map(value => formatValue(value, unit));
  const sayWhisker = (spread: MetricReading['spread']) =>
    spread && spread.min !== spread.max
      ? `, range ${formatValue(spread.min, unit)} to ${formatValue(spread.max, unit)}`
      : '';
  const said = measured.map(
    ({ source, value, rating, spread }) =>
      `${measured.length > 1 ? `${names[source].short}: ` : ''}${formatValue(value, unit)}${rating ? `, ${ratingWords[rating]}` : ''}${sayWhisker(spread)}`,
  );
  return html`<svg class="range" role="img" aria-label="${said.join('; ')}. Good up to ${good}, poor above ${poor}.">
    ${zone('good', 0, scale.good)}${zone('needs-improvement', scale.good, scale.poor)}${zone('poor', scale.poor, 100)}
    ${threshold(scale.good, good ?? '')}${threshold(scale.poor, poor ?? '')}
    ${beyond(scale, measured)} ${measured.map(value => whisker(scale, value))} ${measured.map(value => marker(scale, value))}
  </svg>`;
}
