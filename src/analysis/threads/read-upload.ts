import { createHash } from 'node:crypto';
import { AnalysisError, type PlainError } from '../../contract/errors.ts';
import { findExcess, resultBounds } from '../../contract/json-bounds.ts';
import { requestCategories, type Strategy } from '../../contract/names.ts';
import { isObject } from '../../contract/result/details.ts';
import type { Result } from '../../contract/result/result.ts';
import { isLhr, type Lhr } from '../../measure/lhr/lhr.ts';
import type { Bytes } from '../../measure/lhr/measured.ts';
import { assertMeasured } from '../../measure/lhr/page-failure.ts';
import { readJson } from '../../measure/lhr/read-json.ts';
import { toResult } from '../../measure/lhr/to-result.ts';
import { toPageUrl } from '../../measure/targets/page-url.ts';
import { isPossibleTime } from '../lhci/uploaded-build.ts';

/**
 * `url` is the URL as the client sent it, with the route after a `#`; `pageUrl` is the canonical URL under which the result is stored. `digest` is
 * the same if an upload is repeated.
 */
export type Upload = {
  readonly url: string;
  readonly pageUrl: string;
  readonly strategy: Strategy;
  readonly measuredAtMs: number;
  readonly digest: string;
} & ({ readonly result: Result; readonly lighthouseResult: Bytes } | { readonly failure: PlainError });

/** Max length of a URL, as in Lighthouse CI. */
const maxUrlCharacters = 256;

/** Returns the strategy. Lighthouse before version 7 named its setting `emulatedFormFactor`. */
const toStrategy = ({ configSettings }: Lhr): Strategy => {
  const { formFactor, emulatedFormFactor } = (configSettings ?? {}) as Record<string, unknown>;
  return (formFactor ?? emulatedFormFactor) === 'desktop' ? 'desktop' : 'mobile';
};

/** Removes `:PORT`, by which Lighthouse CI replaces a port that changes with each run. */
const withoutPort = (url: string): string => url.replace(/^(https?:\/\/[^/?#]*):PORT(?=[/?#]|$)/, '$1');

/**
 * Adds the fragment of the requested URL. Lighthouse CI names a page by the URL of its document, which is the same for
 * all routes after a `#`, so their runs would be runs of one page.
 */
function withRoute(url: string, { requestedUrl }: Lhr): string {
  const [page, requested] = [URL.parse(withoutPort(url)), URL.parse(requestedUrl ?? '')];
  const isSame = page?.hash === '' && page.pathname === requested?.pathname && page.search === requested.search;
  return isSame ? url + requested.hash : url;
}

/**
 * Reads the body of an upload, in which the Lighthouse result is a string.
 * @returns `refused`: the reason why it cannot be stored
 */
export function readUpload({ bytes }: { bytes: Bytes }): Upload | { refused: string } {
  const body = readJson(bytes);
  const { url: documentUrl, lhr: lhrText, representative } = isObject(body) ? body : {};
  if (typeof lhrText !== 'string') return { refused: 'lhr must be a Lighthouse result as a JSON string.' };
  if (representative) return { refused: 'representative must be false: it is selected when the build is sealed.' };
  if (typeof documentUrl !== 'string' || documentUrl.length > maxUrlCharacters)
    return { refused: `url must be a string of at most ${maxUrlCharacters} characters.` };
  const lighthouseResult = Buffer.from(lhrText);
  const lhr = readJson(lighthouseResult, lhrText);
  if (!isLhr(lhr)) {
    const excess = findExcess(lighthouseResult, resultBounds);
    return { refused: `lhr is not a readable Lighthouse result${excess === undefined ? '' : `: ${excess}`}.` };
  }
  const url = withRoute(documentUrl, lhr);
  const page = toPageUrl(withoutPort(url));
  if ('fault' in page) return { refused: `url is not the URL of a page: ${page.fault.reason}.` };
  const measuredAtMs = Date.parse(lhr.fetchTime);
  if (!isPossibleTime(measuredAtMs))
    return { refused: 'lhr has an impossible fetchTime: it must be between 2016 and now.' };
  const digest = createHash('sha256').update(`${url}\n`).update(lhrText).digest('base64url');
  const known = { url, pageUrl: page.href, strategy: toStrategy(lhr), measuredAtMs, digest };
  try {
    assertMeasured(lhr, 'lighthouse_unavailable');
    const result = toResult(lhr, {
      source: 'lighthouse',
      analyser: { kind: 'uploaded' },
      url: known.pageUrl,
      strategy: known.strategy,
      categories: requestCategories.filter(name => Object.hasOwn(lhr.categories, name)),
      field: null,
      conditions: null,
      requestedAt: new Date(measuredAtMs).toISOString(),
    });
    return { ...known, result, lighthouseResult };
  } catch (error) {
    if (error instanceof AnalysisError) return { ...known, failure: error.toPlain() };
    // Any program may have written the result, so an unexpected shape is a fault of the upload.
    return { refused: 'lhr is not a readable Lighthouse result: a part of it has an unexpected shape.' };
  }
}
