/**
 * Pauses the page's requests that any arm of an experiment changes, and continues each with the changes of this load's
 * arm. All of them still use the browser's network and its proxy. Requests of workers and cross-site frames belong to
 * other CDP sessions, and are neither paused nor counted.
 */
import type { Flags } from 'lighthouse';
import type { CDPSession, Page, Protocol } from 'puppeteer-core';
import { type Hits, headersKey, type LoadVariant } from '../../../../contract/experiments/load-variant.ts';
import type { Recipe } from '../../../../contract/experiments/request.ts';
import { matchesPattern, toFetchPattern, toFetchUrl } from '../../../../contract/experiments/url-patterns.ts';
import { type Changed, changeDocument, changeFontDisplay } from './recipes.ts';
import { type ServedAnswer, toNetworkBytes } from './served-answers.ts';

type Paused = Protocol.Fetch.RequestPausedEvent;
type Pattern = Protocol.Fetch.RequestPattern;
type Header = Protocol.Fetch.HeaderEntry;

/** Max time that a request is held without an answer. Two in a row still fit into the wait for a first paint. */
const heldMs = 10_000;

/** Returns the key of each recipe in `Hits`. A second recipe with the same name and URL has a number. */
function toKeys(recipes: readonly Recipe[]): ReadonlyMap<Recipe, string> {
  const keys = recipes.map(({ url, name }) => (url === null ? name : `${name} ${url}`));
  const toKey = (key: string, at: number) => {
    const earlier = keys.slice(0, at).filter(other => other === key).length;
    return earlier === 0 ? key : `${key} #${earlier + 1}`;
  };
  return new Map(recipes.map((recipe, at) => [recipe, toKey(keys[at] ?? '', at)]));
}

const withoutFragment = (url: string): string => url.replace(/#.*$/s, '');

const isWeb = (url: string): boolean => /^https?:/i.test(url);

const toPatterns = ({ intercept }: LoadVariant, origin: string): Pattern[] => {
  const ofOrigin: Pattern[] = intercept.origin
    ? [{ urlPattern: `${toFetchUrl(origin)}/*`, requestStage: 'Request' }]
    : [];
  return [
    ...ofOrigin,
    ...intercept.requests.map((url): Pattern => ({ urlPattern: toFetchPattern(url), requestStage: 'Request' })),
    ...intercept.answers.map((url): Pattern => ({ urlPattern: toFetchUrl(url), requestStage: 'Response' })),
    ...intercept.stylesheets.map(
      (url): Pattern => ({
        urlPattern: toFetchPattern(url),
        resourceType: 'Stylesheet',
        requestStage: 'Response',
      }),
    ),
    ...(intercept.document
      ? [{ urlPattern: 'http*', resourceType: 'Document', requestStage: 'Response' } as const]
      : []),
  ];
};

/** Headers that do not apply to a new body: the browser has decoded the old one, and counts the new one itself. */
const ofOldBody = new Set(['content-encoding', 'content-length', 'transfer-encoding']);

const headerOf = (headers: readonly Header[], wanted: string): string | undefined =>
  headers.find(({ name }) => name.toLowerCase() === wanted)?.value;

const isCompressed = (headers: readonly Header[]): boolean =>
  !/^(identity)?$/i.test(headerOf(headers, 'content-encoding')?.trim() ?? '');

const isHtml = (headers: readonly Header[]): boolean =>
  /^\s*(text\/html|application\/xhtml\+xml)\b/i.test(headerOf(headers, 'content-type') ?? '');

/** Returns whether a response has content to change: redirects have no body, and error pages are excluded. */
const isSuccess = ({ responseStatusCode = 0 }: Paused): boolean =>
  responseStatusCode >= 200 && responseStatusCode < 300;

const isAnswer = ({ responseStatusCode, responseErrorReason }: Paused): boolean =>
  responseStatusCode !== undefined || responseErrorReason !== undefined;

function createHits({ block, replace, headers }: LoadVariant, ofRecipes: Iterable<string>) {
  const ofHeaders = Object.keys(headers).length > 0 ? [headersKey] : [];
  const keys = [...block, ...replace.map(({ url }) => url), ...ofRecipes, ...ofHeaders];
  const counts = new Map(keys.map(key => [key, 0]));
  return {
    add: (key: string, count = 1) => void counts.set(key, Math.max(0, (counts.get(key) ?? 0) + count)),
    toJson: (): Hits => Object.fromEntries(counts),
  };
}

/** Returns the headers of a request to the origin of the page, with those of the variant; nothing for other requests. */
export function toOwnHeaders(
  request: Pick<Protocol.Network.Request, 'url' | 'headers'>,
  pageUrl: string,
  added: Readonly<Record<string, string>>,
): { headers?: Header[] } {
  const entries = Object.entries(added).map(([name, value]): Header => ({ name, value }));
  if (entries.length === 0 || URL.parse(request.url)?.origin !== new URL(pageUrl).origin) return {};
  const names = new Set(entries.map(({ name }) => name.toLowerCase()));
  const usual = Object.entries(request.headers).filter(([name]) => !names.has(name.toLowerCase()));
  return { headers: [...usual.map(([name, value]) => ({ name, value })), ...entries] };
}

type RecipeChanges = { recipes: readonly Recipe[]; change: (text: string, recipe: Recipe) => Changed };

function applyAll(text: string, { recipes, change }: RecipeChanges) {
  const counts: [Recipe, number][] = [];
  let changed = text;
  for (const recipe of recipes) {
    const { text: next, count } = change(changed, recipe);
    changed = next;
    counts.push([recipe, count]);
  }
  return { text: changed, counts };
}

/**
 * Returns the transfer time of a body over a throttled network in milliseconds. A body that is served from here is
 * delayed by this time.
 */
const toTransferMs = (bytes: number, kbps: number | undefined): number => (kbps ? (bytes * 8_000) / (kbps * 1024) : 0);

/** Starts to pause requests. Must be called before the page navigates. */
export async function startInterception(
  page: Page,
  { url: pageUrl }: { url: string },
  variant: LoadVariant,
  { throttlingMethod, throttling }: Flags,
) {
  const kbps = throttlingMethod === 'devtools' ? throttling?.downloadThroughputKbps : undefined;
  const { intercept, block, replace, recipes } = variant;
  const { origin } = new URL(pageUrl);
  const session: CDPSession = await page.createCDPSession();
  const { frameTree } = await session.send('Page.getFrameTree');
  const keys = toKeys(recipes);
  const hits = createHits(variant, keys.values());
  const served: ServedAnswer[] = [];
  const requests = new Map<string, { url: string; at: number }>();
  const waits = new Set<NodeJS.Timeout>();
  const bodies = new Map(
    replace.flatMap(({ url, body }) => (body === null ? [] : [[withoutFragment(url), { url, text: body }] as const])),
  );
  const others = new Map(
    replace.flatMap(({ url, with: other }) =>
      other !== null && isWeb(other) ? [[withoutFragment(url), { url, other }] as const] : [],
    ),
  );

  const wait = (ms: number) =>
    new Promise<void>(resolve => {
      const timer = setTimeout(() => {
        waits.delete(timer);
        resolve();
      }, ms);
      waits.add(timer.unref());
    });

  /** Counts a request. Requests of Lighthouse itself have no network id, and do not count. */
  const count = ({ networkId }: Paused, key: string, times = 1) => {
    if (networkId) hits.add(key, times);
  };

  /** Changes a request before it is sent. */
  async function changeRequest(event: Paused): Promise<void> {
    const { requestId, networkId, request } = event;
    const held = recipes.find(
      ({ name, url }) => name === 'single-point-of-failure' && matchesPattern(request.url, url ?? '*'),
    );
    if (held && networkId) {
      count(event, keys.get(held) ?? '');
      await wait(heldMs);
      return session.send('Fetch.failRequest', { requestId, errorReason: 'TimedOut' });
    }
    const replaced = others.get(request.url);
    const url = replaced?.other ?? request.url;
    const own = toOwnHeaders({ url, headers: request.headers }, pageUrl, variant.headers);
    // The time for which a request was paused is not the server's.
    const sent = networkId === undefined ? undefined : requests.get(networkId);
    if (sent) sent.at = performance.now();
    await session.send('Fetch.continueRequest', {
      requestId,
      ...(replaced ? { url } : {}),
      ...own,
    });
    if (replaced) count(event, replaced.url);
    if (own.headers) count(event, headersKey);
  }

  async function readBody({ requestId }: Paused): Promise<Buffer> {
    const { body, base64Encoded } = await session.send('Fetch.getResponseBody', { requestId });
    return Buffer.from(body, base64Encoded ? 'base64' : 'utf8');
  }

  async function serve(event: Paused, body: Buffer, { headMs, status }: { headMs: number; status: number }) {
    const { requestId, networkId, responseHeaders = [] } = event;
    if (networkId) served.push({ requestId: networkId, body, isCompressed: isCompressed(responseHeaders), headMs });
    await session.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: status,
      responseHeaders: responseHeaders.filter(({ name }) => !ofOldBody.has(name.toLowerCase())),
      body: body.toString('base64'),
    });
  }

  const isDocument = ({ resourceType, frameId, responseHeaders = [] }: Paused): boolean =>
    resourceType === 'Document' && frameId === frameTree.frame.id && isHtml(responseHeaders);

  /** Returns the changes of this arm to a body that any arm reads; undefined if no arm reads it. */
  function toChanges(event: Paused): RecipeChanges | undefined {
    const { url } = event.request;
    if (intercept.document && isDocument(event))
      return { recipes, change: (text, recipe) => changeDocument(text, recipe, url) };
    const isSheet = event.resourceType === 'Stylesheet' && intercept.stylesheets.some(p => matchesPattern(url, p));
    const isFonts = (recipe: Recipe) => recipe.name === 'font-display' && matchesPattern(url, recipe.url ?? '*');
    if (isSheet) return { recipes: recipes.filter(isFonts), change: changeFontDisplay };
    const isHeld = intercept.answers.some(answer => withoutFragment(answer) === url);
    return isHeld ? { recipes: [], change: changeFontDisplay } : undefined;
  }

  /** Serves a different body for a held response, after its transfer time over a throttled network. */
  async function replaceBody(event: Paused, { url, text }: { url: string; text: string }, headMs: number) {
    const body = Buffer.from(text);
    await wait(toTransferMs(toNetworkBytes(body, isCompressed(event.responseHeaders ?? [])), kbps));
    await serve(event, body, { headMs, status: 200 });
    count(event, url);
  }

  async function changeAnswer(event: Paused): Promise<void> {
    const { requestId, networkId = '', responseStatusCode: status = 200 } = event;
    const now = performance.now();
    const headMs = now - (requests.get(networkId)?.at ?? now);
    const replaced = bodies.get(event.request.url);
    if (replaced) return replaceBody(event, replaced, headMs);
    const changes = isSuccess(event) ? toChanges(event) : undefined;
    if (!changes) return session.send('Fetch.continueRequest', { requestId });
    const made = applyAll((await readBody(event)).toString('latin1'), changes);
    await serve(event, Buffer.from(made.text, 'latin1'), { headMs, status });
    for (const [recipe, times] of made.counts) count(event, keys.get(recipe) ?? '', times);
  }

  session.on('Network.requestWillBeSent', ({ requestId, request }) =>
    requests.set(requestId, { url: request.url, at: performance.now() }),
  );
  session.on('Network.loadingFailed', ({ requestId, blockedReason }) => {
    const url = requests.get(requestId)?.url;
    if (blockedReason === 'inspector' && url !== undefined)
      for (const pattern of block) if (matchesPattern(url, pattern)) hits.add(pattern);
  });
  // The browser refuses a replaced file whose element has an `integrity` attribute, and reports it only here.
  session.on('Log.entryAdded', ({ entry: { source, text } }) => {
    const isRefused = (url: string) => text.includes(`'${withoutFragment(url)}'`);
    if (source === 'security' && text.includes("'integrity'"))
      for (const { url } of replace) if (isRefused(url)) hits.add(url, -1);
  });
  session.on('Fetch.requestPaused', event => {
    const change = isAnswer(event) ? changeAnswer(event) : changeRequest(event);
    // After a navigation, requests of the old page no longer exist. Other changes that the browser refuses are skipped.
    change.catch(() => session.send('Fetch.continueRequest', { requestId: event.requestId }).catch(() => {}));
  });
  await Promise.all([session.send('Network.enable'), session.send('Log.enable')]);
  const patterns = toPatterns(variant, origin);
  if (patterns.length > 0) await session.send('Fetch.enable', { patterns });
  return {
    get hits(): Hits {
      return hits.toJson();
    },
    served,
    /** Continues all paused requests. */
    stop(): void {
      for (const timer of waits) clearTimeout(timer);
      session.send('Fetch.disable').catch(() => {});
    },
  };
}
