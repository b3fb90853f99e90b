import type { MeasuringOptions } from '../contract/measuring-options.ts';
import type { Strategy } from '../contract/names.ts';
import type { AnalyseRemote, RemoteAnalysis, RemoteOptions } from './analyse-remote.ts';
import { type Outcome, settle } from './outcome.ts';

export type PageAnalysis =
  | { url: string; strategy: Strategy; outcome: Outcome<RemoteAnalysis> }
  | { url: string; strategy: 'both'; mobile: Outcome<RemoteAnalysis>; desktop: Outcome<RemoteAnalysis> };

export type UrlRequest = Omit<MeasuringOptions<'psi'>, 'detailed'> & { url: string };

/**
 * Analyses one page with one strategy, or with both in parallel, and returns the outcome of each.
 * @throws only when the client disconnected
 */
export async function analyseStrategies(
  analyseRemote: AnalyseRemote,
  request: UrlRequest,
  options: RemoteOptions,
): Promise<PageAnalysis> {
  const { url, strategy } = request;
  const under = (chosen: Strategy) => settle(analyseRemote({ ...request, strategy: chosen }, options), options.signal);
  if (strategy !== 'both') return { url, strategy, outcome: await under(strategy) };
  const [mobile, desktop] = await Promise.all([under('mobile'), under('desktop')]);
  return { url, strategy, mobile, desktop };
}
