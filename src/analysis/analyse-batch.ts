import { toPageUrl, type UrlFault } from '../targets/page-url.ts';
import type { AnalyseRemote } from './analyse-remote.ts';
import { analyseStrategies, type PageAnalysis, type PageRequest, type RemoteOptions } from './analyse-strategies.ts';

/** One entry of a batch: an analysis, or what is wrong with an input that is no URL. */
export type BatchItem = PageAnalysis | { url: string; fault: UrlFault };

/**
 * Analyses every URL of a batch, in the order asked. An entry that fails is its own failure; a URL given twice is
 * analysed once and answered twice. How many run at once is the client's matter.
 * @throws only when the caller left
 */
export function analyseBatch(
  analyseRemote: AnalyseRemote,
  urls: readonly string[],
  request: Omit<PageRequest, 'url'>,
  options: RemoteOptions,
): Promise<BatchItem[]> {
  const running = new Map<string, Promise<PageAnalysis>>();
  const analyseOnce = (url: string): Promise<PageAnalysis> => {
    const known = running.get(url) ?? analyseStrategies(analyseRemote, { ...request, url }, options);
    running.set(url, known);
    return known;
  };
  return Promise.all(
    urls.map(async input => {
      const page = toPageUrl(input);
      return 'href' in page ? analyseOnce(page.href) : { url: input, fault: page.fault };
    }),
  );
}
