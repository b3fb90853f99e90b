/** Routes of experiments, which compare variants of a page with the page. */

import { refusalOf } from '../../../analysis/assert-target.ts';
import { usualThrottling } from '../../../analysis/usual-throttling.ts';
import { AnalysisError } from '../../../contract/errors.ts';
import { ExperimentAnswer } from '../../../contract/experiments/answer.ts';
import { experimentBounds, fontDisplays, type RecipeName } from '../../../contract/experiments/names.ts';
import { guessPreloadType, preloadTypes } from '../../../contract/experiments/preload-type.ts';
import {
  ExperimentRequest,
  type Recipe,
  type Throttling,
  type Variant,
  type WantedVariant,
} from '../../../contract/experiments/request.ts';
import { chooseThrottling, factBytesOf, type ReadExperiment } from '../../../explain/experiments/describe.ts';
import { toFileName } from '../../../web/report/file-policy.ts';
import { toExperimentReport } from '../../../web/report/render-experiment.ts';
import { sendJson } from '../../answers/answer.ts';
import { sendReport } from '../../answers/send-report.ts';
import { conditionFaults, type FieldFault, patternFault } from '../../input/condition-faults.ts';
import { type ReceivedBody, readBody } from '../../input/read-input.ts';
import type { Route } from '../../route.ts';
import { listBodyLimit } from '../../server/server-limits.ts';
import type { AcceptSources } from '../jobs/accept-job.ts';
import { askJobs, type JobsSource } from '../jobs/ask-jobs.ts';
import { askStore, type StoreSources } from '../results/stored.ts';
import { type ExperimentSources, experimentNotFound, startExperiment } from './start-experiment.ts';

/** Reads the request of an experiment, and reports all faults at once. */
type JudgingSources = Pick<AcceptSources, 'policy' | 'analyser'>;

const withoutFragment = (url: string): string => url.replace(/#.*$/s, '');

const isWeb = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

const valueFault = (value: string | null, allowed: readonly string[]): string | undefined =>
  value === null || allowed.includes(value) ? undefined : `\`value\` must be one of: ${allowed.join(', ')}`;

/** Finds faults by the name of a recipe; other recipes need no check. */
const recipeFaults: Readonly<Partial<Record<RecipeName, (recipe: Recipe, page: string) => string | undefined>>> = {
  'single-point-of-failure': ({ url }, page) => (url === null ? 'it needs `url`' : patternFault(url, page)),
  preload: ({ url, value }) => {
    if (url === null || !isWeb(url)) return '`url` must be the URL to preload';
    const type = value ?? guessPreloadType(url);
    return type === undefined
      ? `the extension of the URL has no known type: set \`value\` to one of: ${preloadTypes.join(', ')}`
      : valueFault(type, preloadTypes);
  },
  'font-display': ({ url, value }) =>
    fontDisplays.some(known => known === url)
      ? `\`url\` is the pattern of stylesheets: set \`value\` to ${url} instead`
      : valueFault(value, fontDisplays),
  'fetch-priority': ({ url, value }) =>
    url !== null && (value === 'high' || value === 'low')
      ? undefined
      : 'it needs `url`, and `high` or `low` as `value`',
  'find-and-replace': ({ find, replace }) => (find && replace !== null ? undefined : 'it needs `find` and `replace`'),
};

/** Token of RFC 9110, section 5.6.2. */
const token = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;
const ownHeaders =
  /^(host|cookie|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|origin|referer|range|accept-encoding|if-.*|content-.*|proxy-.*|sec-.*)$/i;

const headerFault = (name: string, value: string): string | undefined => {
  if (!token.test(name)) return 'this is not the name of a header';
  if (ownHeaders.test(name)) return 'the browser sets this header: it cannot be changed';
  return /^[\t\x20-\x7e]*$/.test(value) ? undefined : 'its value must be one line of ASCII text';
};

const refusalFault = (sources: JudgingSources, url: string | null): string | undefined =>
  url === null ? undefined : refusalOf(sources, 'lighthouse', url)?.message;

type WantedExperiment = Omit<ReadExperiment, 'variants'> & { variants: readonly WantedVariant[] };

function completeThrottling(wanted: WantedVariant['throttling'], usual: Throttling): Throttling | null {
  const { rtt_ms, throughput_kbps, cpu_slowdown_multiplier } = wanted ?? {};
  const throttling = {
    rtt_ms: rtt_ms ?? usual.rtt_ms,
    throughput_kbps: throughput_kbps ?? usual.throughput_kbps,
    cpu_slowdown_multiplier: cpu_slowdown_multiplier ?? usual.cpu_slowdown_multiplier,
  };
  const isUsual =
    throttling.rtt_ms === usual.rtt_ms &&
    throttling.throughput_kbps === usual.throughput_kbps &&
    throttling.cpu_slowdown_multiplier === usual.cpu_slowdown_multiplier;
  return isUsual ? null : throttling;
}

/** Completes the throttling of a variant, and sets fields that equal the base to null. */
const toVariant = (variant: WantedVariant, { url, strategy, profile }: WantedExperiment): Variant => ({
  ...variant,
  url: variant.url === url ? null : variant.url,
  strategy: variant.strategy === strategy ? null : variant.strategy,
  throttling: completeThrottling(variant.throttling, usualThrottling(variant.strategy ?? strategy, profile)),
});

const completed = (wanted: WantedExperiment): ReadExperiment => ({
  ...wanted,
  variants: wanted.variants.map(variant => toVariant(variant, wanted)),
});

/** Bits of a TCP segment: the simulation transfers whole segments in each round trip, at least one. */
const segmentBits = 8 * 1460;

const throttlingFault = ({ throttling }: Variant, isSimulated: boolean): string | undefined =>
  throttling && isSimulated && throttling.rtt_ms * throttling.throughput_kbps < segmentBits
    ? `simulated throttling needs \`rtt_ms\` × \`throughput_kbps\` of at least ${segmentBits}: raise one of them, or set \`throttling_method\` to devtools`
    : undefined;

/**
 * Max size of the variants in the stored answer, which contains most of their texts three times and may have 128 KB.
 */
const mostFactBytes = 24 * 1024;

const sizeFault = (read: ReadExperiment): string | undefined =>
  factBytesOf(read) > mostFactBytes
    ? `the variants are larger than ${mostFactBytes / 1024} KB without their texts: use fewer or shorter patterns and URLs`
    : undefined;

const isEmpty = ({ name: _, ...changes }: Variant): boolean =>
  Object.values(changes).every(
    change => change === null || (typeof change === 'object' && Object.keys(change).length === 0),
  );

const toFault = (fault: string | undefined, ...field: FieldFault['field']): FieldFault[] =>
  fault === undefined ? [] : [{ field, fault }];

type Replacement = NonNullable<Variant['replace']>[number];

function toReplaceFaults(
  sources: JudgingSources,
  { url, body = null, with: other = null }: Replacement,
  page: string,
): FieldFault[] {
  const isTooLarge = body !== null && Buffer.byteLength(body) > experimentBounds.bodyBytes;
  const isPage = withoutFragment(url) === withoutFragment(page);
  return [
    ...toFault((body === null) === (other === null) ? "specify exactly one of 'body' and 'with'" : undefined),
    ...toFault(isTooLarge ? 'it is larger than 1 MB' : undefined, 'body'),
    ...toFault(isPage ? 'the page itself cannot be replaced: use `url` or a recipe' : undefined, 'url'),
    ...toFault(refusalFault(sources, other), 'with'),
  ];
}

const inside = (faults: readonly FieldFault[], ...place: FieldFault['field']): FieldFault[] =>
  faults.map(({ field, fault }) => ({ field: [...place, ...field], fault }));

/** Finds responses that are replaced twice: only the last replacement would have an effect. */
const toReplacedTwiceFaults = (replacements: readonly Replacement[]): FieldFault[] =>
  replacements.flatMap(({ url }, at) =>
    replacements.findIndex(other => withoutFragment(other.url) === withoutFragment(url)) < at
      ? toFault('this URL is already replaced', 'replace', at, 'url')
      : [],
  );

/** Finds headers that differ only in case: the browser would send both. */
const toTwiceFaults = (names: readonly string[]): FieldFault[] =>
  names.flatMap((name, at) =>
    names.findIndex(other => other.toLowerCase() === name.toLowerCase()) < at
      ? toFault('this header is already set', 'headers', name)
      : [],
  );

/** Finds variants whose names are equal, which the response could not tell apart. */
function toNameFaults(variants: readonly Variant[]): FieldFault[] {
  const names = variants.map(({ name }, at) => name ?? `variant ${at + 1}`);
  return names.flatMap((name, at) =>
    names.indexOf(name) < at ? toFault('another variant has this name', 'variants', at, 'name') : [],
  );
}

function toVariantFaults(
  sources: JudgingSources,
  variant: Variant,
  base: { url: string; isSimulated: boolean },
): FieldFault[] {
  const page = variant.url ?? base.url;
  const headers = Object.entries(variant.headers ?? {});
  return [
    ...toFault(isEmpty(variant) ? 'it changes nothing' : undefined),
    ...toFault(refusalFault(sources, variant.url), 'url'),
    ...toFault(throttlingFault(variant, base.isSimulated), 'throttling'),
    ...(variant.block ?? []).flatMap((pattern, at) => toFault(patternFault(pattern, page), 'block', at)),
    ...(variant.replace ?? []).flatMap((each, at) => inside(toReplaceFaults(sources, each, page), 'replace', at)),
    ...toReplacedTwiceFaults(variant.replace ?? []),
    ...headers.flatMap(([name, value]) => toFault(headerFault(name, value), 'headers', name)),
    ...toTwiceFaults(headers.map(([name]) => name)),
    ...(variant.recipes ?? []).flatMap((recipe, at) =>
      toFault(recipeFaults[recipe.name]?.(recipe, page), 'recipes', at),
    ),
  ];
}

function toFaults(sources: JudgingSources, read: ReadExperiment): FieldFault[] {
  const { url, variants } = read;
  const isSimulated = chooseThrottling(read).throttling_method === 'simulate';
  return [
    ...variants.flatMap((variant, at) =>
      inside(toVariantFaults(sources, variant, { url, isSimulated }), 'variants', at),
    ),
    ...toNameFaults(variants),
    ...toFault(sizeFault(read), 'variants'),
    ...conditionFaults(sources, 'lighthouse', read, [url, ...variants.flatMap(variant => variant.url ?? [])]),
  ];
}

/** @throws ValidationFailure; AnalysisError `target_forbidden` if the page itself is forbidden */
function readExperiment(sources: JudgingSources, body: ReceivedBody): ReadExperiment {
  const wanted = readBody(ExperimentRequest, body, {
    isSound: true,
    check: asked => toFaults(sources, completed(asked as WantedExperiment)),
  }) as WantedExperiment;
  const read = completed(wanted);
  const refusal = refusalOf(sources, 'lighthouse', read.url);
  if (refusal instanceof AnalysisError) throw refusal;
  return read;
}

export const addExperimentRoute = (sources: ExperimentSources): Route => ({
  operation: {
    method: 'POST',
    path: '/experiments',
    tag: 'jobs',
    summary: 'Measure variants of a page against the original',
    description:
      'Loads the page and each variant in pairs, in random order, until an exact paired test gives a verdict or the last look is reached. The response contains the smallest difference that the experiment can show. With the same `Idempotency-Key`, the same request returns the same experiment.',
    body: ExperimentRequest,
    answer: ExperimentAnswer,
    status: 202,
  },
  bodyLimit: listBodyLimit,
  effort: 'measurement',
  handle: async (request, reply) => {
    const bytes = request.body as Buffer | undefined;
    const read = readExperiment(sources, { bytes, contentType: request.contentType });
    return startExperiment(sources, request, reply, { read });
  },
});

/** Reads a running or stored experiment. @returns its answer as JSON. @throws AnalysisError `job_not_found` */
async function readAnswer({ jobs, store }: JobsSource & StoreSources, id: string): Promise<string | Buffer> {
  const answer = await askJobs(() => jobs.experiment(id));
  if (answer) return JSON.stringify(answer);
  const entry = store ? await askStore(store, stored => stored.get(id)) : undefined;
  if (entry?.kind !== 'experiment') throw experimentNotFound();
  return entry.summary;
}

export const experimentRoute = (sources: JobsSource & StoreSources): Route => ({
  operation: {
    method: 'GET',
    path: '/experiments/{id}',
    tag: 'jobs',
    summary: 'Read an experiment',
    description:
      'The verdict on each variant with its interval and all pairs, while the experiment runs and afterwards. `DELETE /jobs/{id}` cancels it.',
    answer: ExperimentAnswer,
  },
  effort: 'read',
  handle: async (request, reply) => sendJson(reply, await readAnswer(sources, (request.params as { id: string }).id)),
});

export const experimentReportRoute = (sources: JobsSource & StoreSources): Route => ({
  operation: {
    method: 'GET',
    path: '/experiments/{id}/report',
    tag: 'jobs',
    summary: 'The report of an experiment',
    description: 'The verdict on each variant with every pair of loads, as one self-contained HTML file.',
    fileType: 'text/html',
  },
  effort: 'read',
  handle: async (request, reply) => {
    const answer: ExperimentAnswer = JSON.parse(`${await readAnswer(sources, (request.params as { id: string }).id)}`);
    const name = toFileName(answer.url, 'experiment', answer.strategy);
    return sendReport(reply, toExperimentReport(answer), name);
  },
});
