/** A fake PSI v5 server that speaks the wire format and records its calls. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { type Arrivals, createArrivals } from '../arrivals.ts';
import { buildAudit, buildCategory, buildMetricAudits, buildRef, metricRefs } from '../builders/lhr.ts';
import { startLocalServer } from '../sites/local-server.ts';
import type { Scope } from '../start-service.ts';

export type PsiCall = {
  readonly params: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Settles when the client closed the connection before it had an answer. */
  readonly abandoned: Promise<void>;
};

export type PsiAnswer = { status?: number; headers?: Readonly<Record<string, string>>; body: unknown };

/** Returns the answer to a call; `undefined` cuts the connection. */
export type PsiHandler = (call: PsiCall) => PsiAnswer | undefined | Promise<PsiAnswer | undefined>;

export type FakePsi = {
  /** For PSI_ENDPOINT. */
  readonly endpoint: string;
  readonly calls: Arrivals<PsiCall>;
  answerWith(handler: PsiHandler): void;
  /** From now on answers wait until the returned function is called. */
  hold(): () => void;
};

/** The body of a successful measurement: every field that PSI sends, and none that it leaves out. */
export const toPsiBody = (
  { params }: Pick<PsiCall, 'params'>,
  lighthouse: Record<string, unknown> = {},
): Record<string, unknown> => {
  const url = params.get('url') ?? '';
  const formFactor = (params.get('strategy') ?? 'DESKTOP').toLowerCase();
  const ids = params.getAll('category').map(name => name.toLowerCase().replaceAll('_', '-'));
  const audits = [...buildMetricAudits(), buildAudit('document-title', { score: 0 })];
  const refs = (id: string) => (id === 'performance' ? metricRefs : [buildRef('document-title', 7)]);
  return {
    captchaResult: 'CAPTCHA_NOT_NEEDED',
    kind: 'pagespeedonline#result',
    id: url,
    loadingExperience: { initial_url: url },
    lighthouseResult: {
      requestedUrl: url,
      finalUrl: url,
      mainDocumentUrl: url,
      finalDisplayedUrl: url,
      lighthouseVersion: '13.4.1',
      userAgent: 'Mozilla/5.0 HeadlessChrome/146.0.0.0',
      fetchTime: '2026-11-20T10:00:00.000Z',
      environment: {
        networkUserAgent: 'Mozilla/5.0',
        hostUserAgent: 'Mozilla/5.0 HeadlessChrome/146.0.0.0',
        benchmarkIndex: 500,
      },
      runWarnings: [],
      configSettings: {
        emulatedFormFactor: formFactor,
        formFactor,
        locale: 'en-US',
        onlyCategories: ids,
        channel: 'lr',
      },
      audits: Object.fromEntries(audits.map(audit => [audit.id, audit])),
      categories: Object.fromEntries(ids.map(id => [id, buildCategory(id, refs(id), id === 'seo' ? 0.8 : 1)])),
      timing: { total: 12_000 },
      fullPageScreenshot: { screenshot: { data: 'data:image/webp;base64,AAAA', width: 412, height: 823 }, nodes: {} },
      ...lighthouse,
    },
    analysisUTCTimestamp: '2026-11-20T10:00:00.000Z',
  };
};

/** PSI's error answer for a page that it could not measure. */
export const toLighthouseError = (message: string, code = 400): PsiAnswer => ({
  status: code,
  body: { error: { code, message, errors: [{ message, domain: 'lighthouse', reason: 'lighthouseUserError' }] } },
});

function send(response: ServerResponse, answer: PsiAnswer | undefined): void {
  if (!answer) {
    response.destroy();
    return;
  }
  const { status = 200, headers, body } = answer;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...headers }).end(text);
}

export async function startFakePsi(scope: Scope): Promise<FakePsi> {
  const calls = createArrivals<PsiCall>();
  let handler: PsiHandler = call => ({ body: toPsiBody(call) });
  let held = Promise.resolve();
  const { url } = await startLocalServer(scope, async (request, response) => {
    const abandoned = Promise.withResolvers<void>();
    response.once('close', () => response.writableFinished || abandoned.resolve());
    const { searchParams } = new URL(request.url ?? '', 'http://fake');
    const call = { params: searchParams, headers: request.headers, abandoned: abandoned.promise };
    const released = held;
    calls.add(call);
    await released;
    send(response, await handler(call));
  });
  return {
    endpoint: `${url}/pagespeedonline/v5/runPagespeed`,
    calls,
    answerWith: next => {
      handler = next;
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = Promise.resolve();
        resolve();
      };
    },
  };
}
