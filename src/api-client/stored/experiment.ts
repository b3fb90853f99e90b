/** Experiments, and the predictions they confirm: their URLs, their start, and their answer. */
import type { ExperimentAnswer } from '../../contract/experiments/answer.ts';
import type { PrimaryMetric, RecipeName } from '../../contract/experiments/names.ts';
import type { Strategy } from '../../contract/names.ts';
import type { WhatIf } from '../../contract/stored/what-if.ts';
import { addresses, ask, get, type ReadBody, strategyIn } from '../ask-json.ts';
import type { AskOptions } from '../ask-service.ts';
import { readUrls } from '../read-urls.ts';

/** An experiment by its id, or the form for a new one. */
export type ExperimentAsked =
  | { readonly id: string }
  | { readonly id: undefined; readonly url: string; readonly strategy: Strategy };

export const toExperimentAddress = (id: string): string => `?${new URLSearchParams({ experiment: id })}`;

/** Returns the URL of the form. Its parameter is `page`, because a URL with `url` requests a measurement. */
export const toNewExperimentAddress = (url: string, strategy: Strategy): string =>
  `?${new URLSearchParams({ experiment: 'new', page: url, strategy })}`;

export function experimentIn({ search }: { search: string }): ExperimentAsked | undefined {
  const params = new URLSearchParams(search.slice(1));
  const id = params.get('experiment');
  if (id === null) return undefined;
  if (id !== 'new') return { id };
  const [url = ''] = readUrls(params.get('page') ?? '');
  return { id: undefined, url, strategy: strategyIn(params) };
}

/** A change that the form offers. */
export type ChangeName = 'block' | 'url' | Exclude<RecipeName, 'find-and-replace'>;

/** One variant of the form: a change, and the URL it applies to; if that is empty, some changes apply to everything. */
export type FormVariant = { readonly change: ChangeName; readonly target: string };

export type ExperimentOrder = {
  readonly url: string;
  readonly strategy: Strategy;
  readonly metric: PrimaryMetric;
  readonly variants: readonly FormVariant[];
};

/** Converts a variant to the format of `POST /experiments`. */
export function toVariant({ change, target }: FormVariant): Record<string, unknown> {
  // URLs may contain commas, so only one before white space separates patterns.
  if (change === 'block') return { block: target.split(/,?\s+/).filter(Boolean) };
  if (change === 'url') return { url: readUrls(target)[0] ?? target };
  const value = change === 'fetch-priority' ? { value: 'high' } : {};
  return { recipes: [{ name: change, ...(target === '' ? {} : { url: target }), ...value }] };
}

export const startExperiment = (
  { variants, ...order }: ExperimentOrder,
  options: AskOptions,
): Promise<ReadBody<ExperimentAnswer>> => {
  const body = JSON.stringify({ ...order, variants: variants.map(toVariant) });
  return ask({ method: 'POST', path: addresses.experiments, body }, options);
};

/** Reads the predictions for a stored load. @throws only the signal's reason */
export const readWhatIf = (id: string, options: AskOptions): Promise<ReadBody<WhatIf>> =>
  get(addresses.result(id, 'what-if'), ['map', 'fixes'], options);

/** Starts an experiment of the removals with the largest predicted gain. */
export const confirmWhatIf = (resultId: string, options: AskOptions): Promise<ReadBody<ExperimentAnswer>> =>
  ask({ method: 'POST', path: addresses.result(resultId, 'what-if') }, options);

export const readExperiment = (id: string, options: AskOptions): Promise<ReadBody<ExperimentAnswer>> =>
  get(addresses.experiment(id), ['variants', 'links'], options);
