/** Describes failed and redirected loads of a variant, and explains why they allow no verdict. */
import type { VariantFacts } from '../../contract/experiments/answer.ts';
import type { PrimaryMetric } from '../../contract/experiments/names.ts';
import { withoutQuery } from '../../contract/without-query.ts';
import { counted } from '../../presentation/numbers.ts';
import { nameOfMetric } from '../../presentation/words.ts';
import { type ExperimentLoads, isWithout } from './judge.ts';
import { controlArms } from './plan.ts';

/** A fact about the loads of a variant, and why it allows no verdict; undefined if it does. */
export type Remark = { readonly fact: string; readonly whyNone: string | undefined };

/** Number of loads of a variant that may differ from those of the base: a verdict needs more pairs than that. */
const mostOdd = 2;

type AskedVariant = {
  readonly variant: Pick<VariantFacts, 'url' | 'headers'>;
  readonly index: number;
  readonly base: string;
  readonly metric: PrimaryMetric;
};

const nameOfValue = (metric: PrimaryMetric): string =>
  metric === 'performance' ? 'a performance score' : nameOfMetric(metric);

const endedOf = (loads: ExperimentLoads, arm: number) =>
  loads.flatMap(block => (block[arm] === undefined ? [] : [block[arm]]));

/** Reports loads without a value: those that failed, and those for which Lighthouse could not compute the metric. */
function remarkFailures(loads: ExperimentLoads, { index, metric }: AskedVariant): Remark | undefined {
  const own = endedOf(loads, controlArms + index);
  const withoutOf = (arm: number) => endedOf(loads, arm).filter(load => isWithout(load, metric)).length;
  const without = withoutOf(controlArms + index);
  if (without === 0) return undefined;
  const failed = own.filter(load => load === null).length;
  const isMoreOften = without - Math.max(withoutOf(0), withoutOf(1)) > mostOdd;
  const facts = [
    ...(failed > 0 ? [`Failed loads: ${failed} of ${own.length}.`] : []),
    ...(without > failed ? [`Loads without ${nameOfValue(metric)}: ${without - failed} of ${own.length}.`] : []),
  ];
  return {
    fact: facts.join(' '),
    whyNone: isMoreOften
      ? 'The page itself fails less often, so there is no verdict: the others are a selection of good loads.'
      : undefined,
  };
}

/** Reports loads of the base without the metric, whose pairs have no difference. Failed ones are reported elsewhere. */
function remarkBase(loads: ExperimentLoads, { metric }: AskedVariant): Remark | undefined {
  const own = endedOf(loads, 0);
  const without = own.filter(load => load !== null && isWithout(load, metric)).length;
  return without === 0
    ? undefined
    : { fact: `Loads of the page without ${nameOfValue(metric)}: ${without} of ${own.length}.`, whyNone: undefined };
}

/** Removes the query and the parameters of a path (`;jsessionid=…`), which often differ in each load. */
const toPage = (url: string): string => withoutQuery(url).replaceAll(/;[^/]*/g, '');

const endsOf = (loads: ExperimentLoads, arm: number): string[] =>
  loads.flatMap(block => (block[arm]?.finalUrl ? [toPage(block[arm].finalUrl)] : []));

const hostOf = (url: string): string => new URL(url).host;

/** Reports loads that ended at another page after redirects, such as a login. */
function remarkOtherPage(loads: ExperimentLoads, { variant, index, base }: AskedVariant): Remark | undefined {
  const ofBase = [...endsOf(loads, 0), ...endsOf(loads, 1)];
  // If the page itself ends at another URL in each load, the URL does not identify it.
  if (new Set(ofBase).size > ofBase.length / 2) return undefined;
  const usual = new Set([...(variant.url === base ? ofBase : []), toPage(variant.url)]);
  const own = endsOf(loads, controlArms + index);
  const elsewhere = own.filter(end => !usual.has(end));
  const [first] = elsewhere;
  if (first === undefined) return undefined;
  const isOwnRedirect =
    variant.url !== base && elsewhere.length === own.length && hostOf(first) === hostOf(variant.url);
  const others = new Set(elsewhere).size > 1 ? ' and other pages' : '';
  return {
    fact: `${elsewhere.length} of ${counted(own.length, 'load')} ended at ${first}${others}.`,
    whyNone:
      elsewhere.length > mostOdd && !isOwnRedirect
        ? 'That is another page, so there is no verdict: set the page to compare as the `url` of the variant.'
        : undefined,
  };
}

/** Reports headers that a redirect to another origin lost. */
function remarkHeaders(loads: ExperimentLoads, { variant, index }: AskedVariant): Remark | undefined {
  const { origin } = new URL(variant.url);
  const origins = endsOf(loads, controlArms + index).map(end => new URL(end).origin);
  if (variant.headers.length === 0 || origins.length === 0 || origins.includes(origin)) return undefined;
  return {
    fact: `Its headers were sent to ${origin} only, and the page redirects to ${origins[0]}.`,
    whyNone: 'The page did not receive them, so there is no verdict: set the URL after the redirect.',
  };
}

export const toRemarks = (loads: ExperimentLoads, asked: AskedVariant): Remark[] =>
  [remarkFailures, remarkBase, remarkOtherPage, remarkHeaders].flatMap(remark => remark(loads, asked) ?? []);
