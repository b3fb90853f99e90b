/** Assertions under one name: what many want of a page. docs/command-line.md lists each line. */
import { type Category, categoryNames, type MetricName, type Strategy, strategies } from '../../contract/names.ts';
import { labThresholdsOf } from '../../contract/result/thresholds.ts';
import { type About, type Assertion, readAssertion } from './assertion.ts';
import { toHint } from './nearest-name.ts';

type Line = {
  readonly text: string;
  readonly strategy?: Strategy;
  /** The category of its audit. */
  readonly needs?: Category;
  /** Left out where its category is. */
  readonly isOfCategory?: Category;
};

/** What of the Core Web Vitals a load without a visitor has: blocking time stands in for the interaction to next paint. */
const vitals = {
  LCP: 'largest_contentful_paint',
  TBT: 'total_blocking_time',
  CLS: 'cumulative_layout_shift',
} as const satisfies Record<string, MetricName>;

const goodVitals: Line[] = strategies.flatMap(strategy =>
  Object.entries(vitals).map(([short, name]) => ({
    text: `${short}<=${labThresholdsOf(name, strategy)[0]}`,
    strategy,
  })),
);

const budgets = [
  ...['total-size<=1MB', 'script-size<=300KB', 'style-size<=100KB', 'image-size<=500KB', 'font-size<=100KB'],
  ...['third-party-size<=200KB', 'total-count<=50'],
];

export const presets = {
  'good-vitals': goodVitals,
  'good-scores': categoryNames.map(name => ({ text: `${name}>=90`, isOfCategory: name })),
  'no-errors': [
    { text: 'errors-in-console<=0', needs: 'best-practices' },
    { text: 'failed-count<=0' },
    { text: 'is-on-https<=0', needs: 'best-practices' },
  ],
  'budget-light': budgets.map(text => ({ text })),
} as const satisfies Readonly<Record<string, readonly Line[]>>;

export const presetNames = Object.keys(presets) as (keyof typeof presets)[];

/** What is measured: assertions about anything else are none of a preset. */
export type Measured = {
  readonly strategies: readonly Strategy[];
  /** Undefined for all. */
  readonly categories: readonly Category[] | undefined;
};

const isMeasured = ({ strategy, isOfCategory }: Line, { strategies: asked, categories }: Measured): boolean =>
  (strategy === undefined || asked.includes(strategy)) &&
  (isOfCategory === undefined || (categories ?? categoryNames).includes(isOfCategory));

/** As it would have been given. */
const sayLine = ({ text }: Line, { isWarning, pages }: About): string =>
  `${isWarning ? 'warn ' : ''}${pages === undefined ? '' : `${pages} `}${text}`;

/** @param about what stands before its name. @throws Error for a name that none has */
export function readPreset(given: string, about: About, measured: Measured): Assertion[] {
  const wanted = given.trim().toLowerCase();
  const name = presetNames.find(known => known === wanted);
  if (!name) {
    const hint = toHint(wanted, presetNames) || `; there are ${presetNames.join(', ')}`;
    throw new Error(`there is no preset ${given.trim()}${hint}`);
  }
  return presets[name]
    .filter((line: Line) => isMeasured(line, measured))
    .map((line: Line) => ({
      ...readAssertion(line.text),
      ...about,
      text: sayLine(line, about),
      preset: name,
      ...(line.strategy === undefined ? {} : { strategy: line.strategy }),
      ...(line.needs === undefined ? {} : { needs: line.needs }),
    }));
}
