/** Every state the page can be in, made by a service that answers as the state needs. */
import type { Browser, BrowserContextOptions } from 'playwright-core';
import type { Scope } from '../start-service.ts';
import { type OpenedPage, openPage } from './browser.ts';
import { buildLocalReport, buildProblem } from './reports.ts';
import { batchEntries, comparison, facts, local, pages, richReport, url } from './sample-answers.ts';
import { type StubCall, type StubService, startStubService } from './stub-service.ts';

const query = (fields: Record<string, string>, urls: readonly string[] = [url]) =>
  `/?${new URLSearchParams([...urls.map((page): [string, string] => ['url', page]), ...Object.entries(fields)])}`;

type State = {
  /** What the page is opened with. */
  readonly address: string;
  readonly answer: (call: StubCall) => void;
  /** What says that the state is reached. */
  readonly shows: string;
};

const none = () => {};
const lane = (source: string) => ({ source, strategy: 'mobile' });
const sideOf = ({ params }: StubCall) => params.get('strategy') ?? '';

export const states = {
  empty: { address: '/', answer: none, shows: '.intro' },
  asked: { address: query({ backend: 'local' }), answer: none, shows: '.lane' },
  waiting: {
    address: query({ backend: 'compare' }),
    answer: call => {
      call.event('queued', { ...lane('lighthouse'), position: 3 });
      call.event('started', lane('psi'));
      call.event('progress', { ...lane('psi'), stage: 'retrying' });
    },
    shows: '.lane .now >> nth=1',
  },
  loading: {
    address: query({ backend: 'local' }),
    answer: call => {
      call.event('started', lane('lighthouse'));
      call.event('progress', { ...lane('lighthouse'), stage: 'loading' });
    },
    shows: '.lane .now',
  },
  result: { address: query({ backend: 'remote' }), answer: call => call.json(richReport()), shows: '.column .fixes' },
  good: {
    address: query({ backend: 'local' }),
    answer: call => call.json(buildLocalReport({ url })),
    shows: '.column .fixes',
  },
  stale: {
    address: query({ backend: 'remote' }),
    answer: call =>
      call.json(richReport({ cache: { status: 'stale', age: 18_000, expires_at: '2026-11-21T12:00:00.000Z' } })),
    shows: '.column .fixes',
  },
  both: {
    address: query({ backend: 'local', strategy: 'both' }),
    answer: call =>
      call.json(
        buildLocalReport({
          ...richReport(),
          metrics: facts.metrics,
          strategy: sideOf(call),
          source: 'lighthouse',
          analyser: { kind: 'local' },
          cache: undefined,
        } as never),
      ),
    shows: '.column >> nth=1',
  },
  halfFailed: {
    address: query({ backend: 'remote', strategy: 'both' }),
    answer: call =>
      call.json({
        url,
        strategy: 'both',
        mobile: richReport(),
        desktop: {
          url,
          error: buildProblem({
            code: 'psi_timeout',
            title: 'Remote analyser timed out',
            detail: 'The remote analyser did not answer within 150 s.',
          }),
        },
      }),
    shows: '.column .trouble',
  },
  compared: {
    address: query({ backend: 'compare' }),
    answer: call => call.json(comparison()),
    shows: '.compared .fixes',
  },
  compareHalf: {
    address: query({ backend: 'compare' }),
    answer: call =>
      call.json({
        url,
        strategy: 'mobile',
        psi: {
          url,
          error: buildProblem({
            code: 'psi_quota_exceeded',
            title: 'Remote analyser quota used up',
            detail: 'The quota of the remote analyser is used up.',
          }),
        },
        lighthouse: local(),
        comparison: null,
      }),
    shows: '.pairing .fixes',
  },
  batchRunning: {
    address: query({ backend: 'remote' }, pages),
    answer: call => call.line({ index: 1, ...batchEntries[1] }),
    shows: 'tr.done',
  },
  batch: {
    address: query({ backend: 'remote' }, pages),
    answer: call => call.json({ results: batchEntries, total: 3, succeeded: 2, failed: 1 }),
    shows: '.sort',
  },
  batchCompared: {
    address: query({ backend: 'compare' }, pages.slice(0, 2)),
    answer: call => call.json(comparison()),
    shows: '.sort',
  },
  failed: {
    address: query({ backend: 'local' }),
    answer: call =>
      call.json(
        buildProblem({
          code: 'queue_full',
          title: 'Too many audits waiting',
          status: 503,
          detail: 'As many audits are waiting as may wait.',
        }),
        503,
        { 'retry-after': '40' },
      ),
    shows: '.trouble',
  },
  refused: {
    address: query({ backend: 'local' }, ['ftp://harbour.example/']),
    answer: call =>
      call.json(
        { detail: [{ loc: ['query', 'url'], msg: "URL scheme should be 'http' or 'https'", type: 'url_scheme' }] },
        422,
      ),
    shows: '.trouble',
  },
  key: {
    address: query({ backend: 'remote' }),
    answer: call => call.json(buildProblem({ code: 'unauthorized', status: 401 }), 401),
    shows: '.key-form',
  },
} as const satisfies Record<string, State>;

export type StateName = keyof typeof states;
export const stateNames = Object.keys(states) as StateName[];

/** Opens the page in a state. */
export async function openState(
  scope: Scope,
  browser: Browser,
  name: StateName,
  options: BrowserContextOptions = {},
): Promise<{ page: OpenedPage; service: StubService }> {
  const { address, answer, shows }: State = states[name];
  const service = await startStubService(scope, answer);
  const page = await openPage(scope, browser, options);
  await page.goto(`${service.url}${address}`);
  await page.locator(shows).first().waitFor();
  return { page, service };
}
