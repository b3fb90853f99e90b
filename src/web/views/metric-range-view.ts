import { html, nothing, svg } from 'lit-html';
import type { MetricName, Strategy } from '../../report/report.ts';
import type { Source } from '../answer.ts';
import { bordersOf, metricWords, rate, ratingWords, type Scale, toScale } from '../metric-range.ts';
import { formatValue } from '../numbers.ts';
import { sideClass, sideNames } from './marks.ts';

export type Measured = { readonly source: Source; readonly value: number };

/** The remote light stands above the bar and the local one below it: where they agree, they stand in line. */
const lights = {
  psi: { line: 'M0 7 V20', centre: 5 },
  lighthouse: { line: 'M0 12 V25', centre: 27 },
} as const;

const marker = (scale: Scale, { source, value }: Measured) => {
  const { line, centre } = lights[source];
  return svg`<svg x="${scale.place(value).percent}%" overflow="visible">
    <path class="needle" d=${line} />
    <circle class=${sideClass(source)} cy=${centre} r="5" />
  </svg>`;
};

const beyond = (scale: Scale, measured: readonly Measured[]) =>
  measured.some(({ value }) => scale.place(value).isBeyond)
    ? svg`<text x="100%" y="42" text-anchor="end">beyond →</text>`
    : nothing;

const zone = (rating: string, from: number, to: number) =>
  svg`<rect class="zone ${rating}" x="${from}%" y="12" width="${to - from}%" height="8" />`;

/** Borders as text below the bar. */
const border = (percent: number, text: string) =>
  svg`<line class="border" x1="${percent}%" x2="${percent}%" y1="10" y2="22" /><text x="${percent}%" y="42" text-anchor="middle">${text}</text>`;

/** A metric's ranges with every value measured on them; nothing for a metric without ranges or values. */
export function metricRange(metric: MetricName, strategy: Strategy, measured: readonly Measured[]) {
  const borders = bordersOf(metric, strategy);
  if (!borders || measured.length === 0) return nothing;
  const { unit } = metricWords[metric];
  const scale = toScale(borders);
  const [good, poor] = borders.map(value => formatValue(value, unit));
  const said = measured.map(
    ({ source, value }) =>
      `${measured.length > 1 ? `${sideNames[source]}: ` : ''}${formatValue(value, unit)}, ${ratingWords[rate(value, borders)]}`,
  );
  return html`<svg class="range" role="img" aria-label="${said.join('; ')}. Good up to ${good}, poor above ${poor}.">
    ${zone('good', 0, scale.good)}${zone('needs-improvement', scale.good, scale.poor)}${zone('poor', scale.poor, 100)}
    ${border(scale.good, good ?? '')}${border(scale.poor, poor ?? '')}
    ${beyond(scale, measured)} ${measured.map(value => marker(scale, value))}
  </svg>`;
}
