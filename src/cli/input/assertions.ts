/** Reads all assertions of a command, from its options and from a file. */

import { readFileSync } from 'node:fs';
import type { Backend } from '../../api-client/page-request.ts';
import { messageOf } from '../../contract/errors.ts';
import { type Category, categoryNames, type RequestCategory, type Strategy, strategies } from '../../contract/names.ts';
import { toChoiceHint } from '../../contract/nearest-name.ts';
import { labThresholdsOf } from '../../contract/result/thresholds.ts';
import { metricWords, tableMetrics } from '../../presentation/words.ts';
import { type About, type Assertion, isWhole, readAbout, readAssertion } from './assertion.ts';
import type { Repeated } from './command-line.ts';

/* Presets: sets of common assertions. docs/command-line.md lists each of them. */

type AssertionLine = {
  readonly text: string;
  readonly strategy?: Strategy;
  readonly needs?: Category;
  /** Category without which the assertion is skipped. */
  readonly isOfCategory?: Category;
};

const goodVitals: AssertionLine[] = strategies.flatMap(strategy =>
  tableMetrics.map(name => ({
    text: `${metricWords[name].short}<=${labThresholdsOf(name, strategy)[0]}`,
    strategy,
  })),
);

const budgets = [
  ...['total-size<=1MB', 'script-size<=300KB', 'stylesheet-size<=100KB', 'image-size<=500KB', 'font-size<=100KB'],
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
} as const satisfies Readonly<Record<string, readonly AssertionLine[]>>;

export const presetNames = Object.keys(presets) as (keyof typeof presets)[];

/** The measured strategies and categories: a preset skips assertions about any other. */
type MeasuredScope = {
  readonly strategies: readonly Strategy[];
  /** Measured categories; undefined for all with a score. */
  readonly categories: readonly RequestCategory[] | undefined;
};

type AssertedScope = Pick<MeasuredScope, 'categories'> & {
  readonly assertions: readonly Assertion[];
  readonly backend: Backend;
};

const usualCategories: readonly RequestCategory[] = categoryNames;

const isMeasured = (
  { strategy, isOfCategory }: AssertionLine,
  { strategies: asked, categories }: MeasuredScope,
): boolean =>
  (strategy === undefined || asked.includes(strategy)) &&
  (isOfCategory === undefined || (categories ?? usualCategories).includes(isOfCategory));

/** Returns the text that a user would write. */
const sayLine = ({ text }: AssertionLine, { isWarning, pages }: About): string =>
  `${isWarning ? 'warn ' : ''}${pages === undefined ? '' : `${pages} `}${text}`;

/**
 * @param about prefix of the preset
 * @throws Error for an unknown name
 */
function readPreset(given: string, about: About, measured: MeasuredScope): Assertion[] {
  const wanted = given.trim().toLowerCase();
  const name = presetNames.find(known => known === wanted);
  if (!name) throw new Error(`unknown preset ${given.trim()}${toChoiceHint(wanted, presetNames)}`);
  return presets[name]
    .filter((line: AssertionLine) => isMeasured(line, measured))
    .map((line: AssertionLine) => ({
      ...readAssertion(line.text),
      ...about,
      text: sayLine(line, about),
      preset: name,
      ...(line.strategy === undefined ? {} : { strategy: line.strategy }),
      ...(line.needs === undefined ? {} : { needs: line.needs }),
    }));
}

/** Reads one assertion per line. Blank lines and lines that start with `#` are ignored. */
function readFile(path: string | undefined, faults: string[]): string[] {
  if (path === undefined) return [];
  try {
    const lines = readFileSync(path, 'utf8').split(/\r\n|\r|\n/);
    const texts = lines.map(line => line.trim()).filter(line => line !== '' && !line.startsWith('#'));
    // A file without assertions would let every page pass.
    if (texts.length === 0) faults.push(`--assert-file ${path} contains no assertions`);
    return texts;
  } catch (error) {
    faults.push(`--assert-file cannot be read: ${messageOf(error)}`);
    return [];
  }
}

/** Reads an assertion, or several with `preset NAME`. @throws Error that explains the fault */
function readOne(text: string, measured: MeasuredScope): readonly Assertion[] {
  const { about, condition } = readAbout(text);
  const [, preset] = /^preset\s+(\S.*)$/i.exec(condition) ?? [];
  return preset === undefined ? [readAssertion(text)] : readPreset(preset, about, measured);
}

/** @throws Error that explains the fault */
function readPresetOption(text: string, measured: MeasuredScope): readonly Assertion[] {
  const { about, condition } = readAbout(text);
  return readPreset(condition, about, measured);
}

/** @param file path with one assertion per line */
export function readAssertions(
  { given, file }: { given: readonly Repeated[]; file: string | undefined },
  measured: MeasuredScope,
  faults: string[],
): Assertion[] {
  const fromFile = readFile(file, faults).map(text => ({ option: 'assert', text }));
  return [...given, ...fromFile].flatMap(({ option, text }) => {
    try {
      return option === 'assert' ? readOne(text, measured) : readPresetOption(text, measured);
    } catch (error) {
      faults.push(`--${option} '${text}': ${messageOf(error)}`);
      return [];
    }
  });
}

const sayOption = ({ text, preset }: Assertion): string =>
  preset === undefined ? `--assert '${text}'` : `--assert-preset ${preset}`;

/** Returns the category. Requests need the performance category; that of an audit is known only from Lighthouse. */
const categoryOf = ({ subject }: Assertion) => {
  if (subject.kind === 'score' || subject.kind === 'fraction') return subject.name;
  return subject.kind === 'audit' || subject.kind === 'audit-score' ? undefined : 'performance';
};

function faultOf(
  assertion: Assertion,
  { categories, backend }: Pick<AssertedScope, 'categories' | 'backend'>,
): string[] {
  const { side, subject } = assertion;
  const said = sayOption(assertion);
  const sides = { remote: ['psi'], local: ['lighthouse'], compare: ['psi', 'lighthouse'] }[backend];
  if (side && !sides.includes(side)) return [`${said}: ${side} is not measured here`];
  if (isWhole(subject) && backend === 'compare')
    return [`${said}: a comparison does not contain the lists of requests and audits; measure one side`];
  const needed = assertion.needs ?? categoryOf(assertion);
  return needed && !(categories ?? usualCategories).includes(needed)
    ? [
        `${said}: it needs the category ${needed}, which ${categories ? '--categories omits' : 'must be in --categories'}`,
      ]
    : [];
}

/** Finds assertions about unmeasured values, which could never pass. Each fault of a preset is reported once. */
export const faultsOfAssertions = (wanted: AssertedScope): string[] => [
  ...new Set(wanted.assertions.flatMap(assertion => faultOf(assertion, wanted))),
];
