/** Every state of the page, with a stub service that answers as the state requires. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { buildExperiment, buildRunningExperiment } from '../support/builders/experiment.ts';
import { buildHistory, buildKeptFacts, buildPossibleChange } from '../support/builders/history.ts';
import {
  buildAlike,
  buildResultsComparison,
  buildUndecided,
  idOfSide,
} from '../support/builders/results-comparison.ts';
import { buildWhatIf } from '../support/builders/what-if.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import type { Scope } from '../support/start-service.ts';
import { type OpenedPage, openPage } from './browser.ts';
import { failedCallback, fleetHealth, groupedPages, answerHome as home } from './home-answers.ts';
import { buildLocalResult, buildProblem } from './reports.ts';
import {
  batchEntries,
  comparison,
  disturbedResult,
  facts,
  keptComparison,
  keptId,
  keptResult,
  local,
  localWhole,
  pages,
  richResult,
  url,
  wholeResult,
} from './sample-answers.ts';
import { type StubCall, type StubService, startStubService } from './stub-service.ts';

const query = (fields: Record<string, string>, urls: readonly string[] = [url]) =>
  `/?${new URLSearchParams([...urls.map((page): [string, string] => ['url', page]), ...Object.entries(fields)])}`;

const historyAddress = `/?${new URLSearchParams({ history: 'https://harbour.example/', source: 'lighthouse', strategy: 'mobile' })}`;

const changeAddress = (fields: Record<string, string> = {}) =>
  `/?${new URLSearchParams({ before: idOfSide('before'), after: idOfSide('after'), ...fields })}`;
const changed = (body: () => unknown) => (call: StubCall) =>
  call.path === '/compare-results' ? call.json(body()) : call.picture();

const sitemapAddress = `/?${new URLSearchParams({ sitemap: 'https://harbour.example/', backend: 'local', strategy: 'mobile' })}`;
const sitemap = {
  url: 'https://harbour.example/',
  urls: [...pages, ...Array.from({ length: 30 }, (_, at) => `https://harbour.example/berths/${at}?season=winter`)],
  found: 812,
  templates: [
    { template: 'https://harbour.example/berths/*', pages: 809 },
    ...pages.map(template => ({ template, pages: 1 })),
  ],
  links: null,
  sitemaps: [{ url: 'https://harbour.example/sitemap.xml', urls: 33 }],
  skipped: { not_allowed: 2, invalid: 1, repeated: 1 },
  failures: [
    {
      url: 'https://harbour.example/archive-with-a-rather-long-name-of-its-own.xml.gz',
      detail: 'https://harbour.example/archive-with-a-rather-long-name-of-its-own.xml.gz returned status 404.',
    },
  ],
  is_complete: false,
};
const manyPages = Array.from({ length: 130 }, (_, at) => `https://harbour.example/berths/${at}`);

type State = {
  /** Path and query that the page is opened with. */
  readonly address: string;
  readonly answer: (call: StubCall) => void;
  /** What a user does next. */
  readonly act?: (page: Page) => Promise<void>;
  /** Whether the service stores results. */
  readonly keeps?: true;
  /** Selector of an element that shows that the state is reached. */
  readonly shows: string;
  /** Whether the progress of a run is on the screen. */
  readonly isRunning?: true;
};

const allScores = { performance: 61, accessibility: 88, 'best-practices': 92, seo: 90 };

const fieldPaint = {
  unit: 'millisecond',
  rating: 'needs-improvement',
  distribution: [0.6, 0.3, 0.1],
};

const agentic = { agentic_browsing: { passed: 3, total: 5 } };

const none = () => {};
const lane = (source: string, strategy = 'mobile') => ({ source, strategy });
const sideOf = ({ params }: StubCall) => params.get('strategy') ?? '';

const fourPages = [...pages, 'https://harbour.example/tides'];
const positionOf = ({ params }: StubCall) => fourPages.indexOf(params.get('url') ?? '');

const queue = (call: StubCall, source: string, position: number) =>
  call.event('queued', { ...lane(source, sideOf(call)), position });
const load = (call: StubCall, source: string) => {
  call.event('started', lane(source, sideOf(call)));
  call.event('progress', { ...lane(source, sideOf(call)), stage: source === 'psi' ? 'waiting' : 'loading' });
};
const cancel = (page: Page) => page.getByRole('button', { name: 'Cancel' }).click();
const running = '[data-state=now]';

const on = {
  local: query({ backend: 'local' }),
  remote: query({ backend: 'remote' }),
  compare: query({ backend: 'compare' }),
};
const problem = (fields: Parameters<typeof buildProblem>[0] & { status?: number }) => (call: StubCall) =>
  call.json(buildProblem(fields), fields?.status ?? 502);

const openLoadDetails = async (page: Page) => {
  await page.locator('.load-details').first().waitFor();
  await page.evaluate('for (const part of document.querySelectorAll(".part")) part.open = true');
};
const keptAddress = `${query({ backend: 'remote' })}&result=${keptId}`;
/** A stored result, with its full Lighthouse result as the state requires. */
const kept = (whole: (call: StubCall) => void) => (call: StubCall) => {
  if (call.path.endsWith('/screenshot')) return call.picture();
  if (call.path === '/history') return call.json(buildHistory('performance', { source: 'psi' }));
  if (call.params.get('detailed') === 'true') return whole(call);
  call.json(keptResult());
};

const keptWhole = kept(call => call.json({ ...keptResult(), lighthouse_result: wholeResult }));

/** A stored local load, with its predictions as the state requires. */
const predictedAddress = `${query({ backend: 'local' })}&result=${keptId}`;
const predicted = (whatIf: (call: StubCall) => void) => (call: StubCall) => {
  if (call.path.endsWith('/what-if')) return whatIf(call);
  const { environment, ...result } = local();
  const simulated = { ...environment, throttling_method: 'simulate' };
  kept(none)({ ...call, json: () => call.json({ ...result, id: keptId, environment: simulated }) });
};
const openWhatIf = (page: Page) => page.locator('.what-if summary').click();

/** A comparison with both sides stored. */
const keptBoth = (call: StubCall) => {
  if (call.path.endsWith('/screenshot')) return call.picture();
  if (call.path === '/compare' || call.path.endsWith(keptId)) return call.json(keptComparison());
  const { psi, lighthouse } = keptComparison();
  if (call.path.endsWith('1')) return call.json({ ...psi, lighthouse_result: wholeResult });
  call.json({ ...lighthouse, lighthouse_result: localWhole });
};

/** A list with all pages but one stored. */
const keptList = (call: StubCall) => {
  if (call.path.endsWith('/screenshot')) return call.picture();
  if (call.path.startsWith('/results/')) return call.json(keptResult());
  const facts = buildKeptFacts(4, { source: 'psi', label: null, scores: allScores });
  call.json({ results: call.params.get('url') === pages[2] ? [] : [facts], next: null });
};

const experimentAddress = '/?experiment=01890a5d-ac96-774b-bcce-b302099a8057';
const failureId = idOfSide('after');

export const states = {
  empty: { address: '/', answer: none, shows: '.intro' },
  recent: { address: '/', answer: home, keeps: true, shows: '.sites' },
  sites: { address: '/?view=sites', answer: home, shows: '.sites' },
  sitesGrouped: {
    address: '/?view=sites',
    answer: call => (call.path === '/sites' ? call.json({ pages: groupedPages, is_complete: true }) : home(call)),
    act: page => page.locator('.fold-button').first().click(),
    shows: '.site-page[data-inner]',
  },
  sitesEmpty: {
    address: '/?view=sites',
    answer: call => call.json(call.path === '/sites' ? { pages: [], is_complete: true } : { schedules: [] }),
    shows: '.home .notice',
  },
  schedules: { address: '/?view=schedules', answer: home, shows: '.job' },
  schedulesForm: {
    address: '/?view=schedules&watch=https%3A%2F%2Fharbour.example%2F&source=lighthouse&strategy=desktop',
    answer: home,
    act: page => page.locator('.job details summary').first().click(),
    shows: '.job-pages',
  },
  schedulesEmpty: {
    address: '/?view=schedules',
    answer: call => call.json(call.path === '/jobs' ? { jobs: [] } : { schedules: [] }),
    shows: 'text=No job ran in the last day.',
  },
  callbackFailed: {
    address: '/?view=schedules',
    answer: call => (call.path === '/jobs' ? call.json({ jobs: [failedCallback] }) : home(call)),
    shows: 'text=Callback failed',
  },
  status: { address: '/?view=status', answer: home, shows: '.status-facts' },
  statusFleet: { address: '/?view=status', answer: call => call.json(fleetHealth), shows: 'h3:has-text("Instances")' },
  homeFailed: {
    address: '/?view=sites',
    answer: problem({
      code: 'results_not_kept',
      title: 'Results are not stored',
      status: 404,
      detail: 'This service stores no results: DATA_DIR is none.',
    }),
    shows: '.failure',
  },
  history: {
    address: historyAddress,
    answer: call => call.json(buildHistory(call.params.get('metric') as never)),
    shows: '.chart',
  },
  historyPossible: {
    address: historyAddress,
    answer: call => call.json(buildPossibleChange()),
    shows: 'text=Possible change since',
  },
  historyField: {
    address: historyAddress.replace('lighthouse', 'psi'),
    answer: call => {
      if (call.path !== '/history') {
        const at = Number(call.path.slice(-2));
        const { core_web_vitals: vitals, ...result } = richResult();
        const field = { ...vitals.field, largest_contentful_paint: { ...fieldPaint, p75: 2400 + 40 * at } };
        const { fetched_at: time } = buildHistory('performance').points[at] ?? result;
        return call.json({ ...result, fetched_at: time, core_web_vitals: { ...vitals, field } });
      }
      call.json(buildHistory(call.params.get('metric') as never, { source: 'psi' }));
    },
    act: page => page.getByRole('button', { name: 'Largest Contentful Paint' }).click(),
    shows: '.field-line',
  },
  historyMarked: {
    address: historyAddress,
    answer: call => call.json(buildHistory(call.params.get('metric') as never)),
    act: async page => {
      await page.locator('.chart a').first().focus();
      for (const key of ['Shift+Enter', 'ArrowRight', 'Shift+Enter']) await page.keyboard.press(key);
    },
    shows: '.marked a',
  },
  changed: { address: changeAddress(), answer: changed(() => buildResultsComparison()), shows: '.measures' },
  changedAlike: { address: changeAddress(), answer: changed(buildAlike), shows: '.measures' },
  changedPictures: {
    address: changeAddress(),
    answer: call => {
      if (call.path === '/compare-results') return call.json(buildResultsComparison());
      if (call.path.endsWith('/screenshot')) return call.picture();
      if (call.path === '/results') {
        const kept = ['before', 'after'] as const;
        return call.json({ results: kept.map((side, at) => buildKeptFacts(at, { id: idOfSide(side) })), next: null });
      }
      call.json({ ...keptResult(), id: call.path.slice('/results/'.length), lighthouse_result: wholeResult });
    },
    act: async page => {
      await page.getByText('Filmstrip', { exact: false }).first().click();
      await page.getByText('Compare other results').click();
    },
    shows: '.filmstrip img',
  },
  changedUndecided: { address: changeAddress(), answer: changed(buildUndecided), shows: '.measures' },
  changedLittleKept: {
    address: changeAddress(),
    answer: changed(() => buildResultsComparison({ audits: null, requests: null, differences: [] })),
    shows: '.measures',
  },
  changedLoading: { address: changeAddress(), answer: none, shows: '.what-changed' },
  changedMissing: { address: '/?before=build-41&after=', answer: none, shows: '.change-form' },
  changedFailed: {
    address: changeAddress({ before: 'build-40' }),
    answer: problem({
      code: 'result_not_found',
      title: 'Result not found',
      status: 404,
      detail: "No stored result has the id or label 'build-40'.",
    }),
    shows: '.failure',
  },
  measuredAgain: {
    address: on.remote,
    answer: call => {
      if (call.path === '/compare-results') return call.json(buildResultsComparison());
      if (call.path.endsWith('/screenshot')) return call.picture();
      const isAgain = call.headers['cache-control'] === 'no-cache';
      call.json({
        ...keptResult(),
        id: idOfSide(isAgain ? 'after' : 'before'),
        lighthouse_result: wholeResult,
      });
    },
    act: page => page.getByRole('button', { name: 'Measure again' }).click(),
    shows: '.change-note strong',
  },
  historyEmpty: {
    address: historyAddress,
    answer: call =>
      call.json(
        buildHistory(call.params.get('metric') as never, {
          points: [],
          segments: [],
          change_points: [],
          gaps: [],
          median: null,
        }),
      ),
    shows: '.history .notice',
  },
  historyLoading: { address: historyAddress, answer: none, shows: '.history' },
  historyFailed: {
    address: historyAddress,
    answer: problem({
      code: 'results_not_kept',
      title: 'Results are not stored',
      status: 404,
      detail: 'This service stores no results: DATA_DIR is none.',
    }),
    shows: '.failure',
  },
  words: { address: '/?url=not+a+url+at+all', answer: none, shows: '#url-fault p' },
  asked: { address: on.local, answer: none, shows: '.lane', isRunning: true },
  queued: { address: on.local, answer: call => queue(call, 'lighthouse', 12), shows: running, isRunning: true },
  loading: { address: on.local, answer: call => load(call, 'lighthouse'), shows: running, isRunning: true },
  runTwo: {
    address: query({ backend: 'local', runs: '5' }),
    answer: call => call.event('progress', { ...lane('lighthouse'), stage: 'gathering', run: 2, runs: 5 }),
    shows: '.lane:has-text("Run 2 of 5")',
    isRunning: true,
  },
  halfDone: {
    address: query({ backend: 'local', strategy: 'both' }),
    answer: call => (sideOf(call) === 'mobile' ? call.json(buildLocalResult({ url })) : load(call, 'lighthouse')),
    shows: `${running} >> nth=0`,
    isRunning: true,
  },
  cancelled: { address: on.local, answer: call => load(call, 'lighthouse'), act: cancel, shows: '.ended' },
  compareQueued: {
    address: on.compare,
    answer: call => {
      queue(call, 'psi', 1);
      queue(call, 'lighthouse', 2);
    },
    shows: `${running} >> nth=1`,
    isRunning: true,
  },
  compareRunning: {
    address: on.compare,
    answer: call => {
      queue(call, 'lighthouse', 3);
      call.event('started', lane('psi'));
      call.event('progress', { ...lane('psi'), stage: 'retrying' });
    },
    shows: `${running} >> nth=1`,
    isRunning: true,
  },
  compareHalfDone: {
    address: query({ backend: 'compare', strategy: 'both' }),
    answer: call => {
      if (sideOf(call) === 'mobile') return call.json(comparison());
      load(call, 'psi');
      queue(call, 'lighthouse', 1);
    },
    shows: `${running} >> nth=1`,
    isRunning: true,
  },
  compareCancelled: { address: on.compare, answer: call => load(call, 'lighthouse'), act: cancel, shows: '.ended' },
  result: { address: on.remote, answer: call => call.json(richResult()), shows: '.column .fixes' },
  disturbed: { address: on.remote, answer: call => call.json(disturbedResult()), shows: '.column .runs' },
  agentic: {
    address: query({ backend: 'local', categories: 'performance,agentic-browsing' }),
    answer: call => call.json(buildLocalResult({ url, scores: { performance: 61 }, ...agentic })),
    shows: 'text=Agentic browsing: 3 of 5 audits passed.',
  },
  good: { address: on.local, answer: call => call.json(buildLocalResult({ url })), shows: '.column .fixes' },
  kept: { address: keptAddress, answer: kept(none), shows: '.column .fixes' },
  keptHalf: {
    address: `${query({ backend: 'remote', strategy: 'both' })}&result=${keptId},${failureId}`,
    answer: call => {
      if (call.path.endsWith('/screenshot')) return call.picture();
      const failed = { id: failureId, links: {}, url, source: 'psi', strategy: 'desktop', error: buildProblem() };
      call.json(call.path.endsWith(failureId) ? failed : keptResult());
    },
    shows: '.column .failure',
  },
  keptBoth: {
    address: `${query({ backend: 'local', strategy: 'both' })}&result=${keptId},${failureId}`,
    answer: call => {
      if (call.path.endsWith('/screenshot')) return call.picture();
      const isDesktop = call.path.endsWith(failureId);
      call.json({
        ...keptResult(),
        source: 'lighthouse',
        ...(isDesktop ? { id: failureId, strategy: 'desktop' } : {}),
      });
    },
    shows: '.column >> nth=1',
  },
  keptMissing: {
    address: `${query({ backend: 'compare', strategy: 'both' })}&result=${keptId}`,
    answer: call => (call.path.endsWith('/screenshot') ? call.picture() : call.json(keptComparison())),
    shows: 'h3:has-text("No stored result")',
  },
  loadDetails: { address: keptAddress, answer: keptWhole, act: openLoadDetails, shows: '[aria-label="Third parties"]' },
  loadDetailsFiltered: {
    address: keptAddress,
    answer: keptWhole,
    act: async page => {
      await page.getByRole('searchbox').fill('harbour');
      await page.locator('button.request').first().click();
    },
    shows: '.request-facts',
  },
  loadDetailsAudits: {
    address: `${keptAddress}&metric=lcp`,
    answer: keptWhole,
    act: async page => {
      for (const name of ['Network dependency tree', 'Improve image delivery'])
        await page.locator('.finding summary', { hasText: name }).click();
      await page.locator('.part > summary', { hasText: 'Performance' }).click();
    },
    shows: '.to-request',
  },
  loadDetailsLoading: { address: keptAddress, answer: kept(none), act: openLoadDetails, shows: '.part-body p' },
  loadDetailsFailed: {
    address: keptAddress,
    answer: kept(problem({ code: 'results_unavailable', status: 503 })),
    act: openLoadDetails,
    shows: '.part .failure',
  },
  loadDetailsEmpty: {
    address: keptAddress,
    answer: kept(call => call.json({ ...keptResult(), lighthouse_result: { audits: {} } })),
    act: openLoadDetails,
    shows: '.part-body p',
  },
  whatIf: {
    address: predictedAddress,
    answer: predicted(call => call.json(buildWhatIf())),
    act: openWhatIf,
    shows: '.map-cell',
  },
  whatIfDisturbed: {
    address: predictedAddress,
    answer: predicted(call =>
      call.json({
        ...buildWhatIf(),
        disturbed: true,
        limits: ['This load was disturbed.', 'The predictions come from one load.'],
      }),
    ),
    act: openWhatIf,
    shows: '.what-if .notice',
  },
  experiment: {
    address: experimentAddress,
    answer: call => call.json(buildExperiment()),
    act: async page => {
      const summaries = page.locator('.variant summary');
      await summaries.first().waitFor();
      for (const summary of await summaries.all()) await summary.click();
    },
    shows: '.variant .part-body table',
  },
  experimentRunning: {
    address: experimentAddress,
    answer: call => call.json(buildRunningExperiment()),
    shows: '.experiment progress',
  },
  experimentDiffers: {
    address: experimentAddress,
    answer: call => {
      const { control, variants, ...rest } = buildExperiment();
      const undecided = variants.map(variant => ({ ...variant, status: 'undecided' }));
      call.json({ ...rest, variants: undecided, control: { ...control, differs: true } });
    },
    shows: '.experiment .notice',
  },
  experimentForm: {
    address: `/?${new URLSearchParams({ experiment: 'new', page: 'https://harbour.example/' })}`,
    answer: none,
    act: page => page.getByRole('button', { name: 'Add a variant' }).click(),
    shows: '.variant-fields:nth-of-type(2)',
  },
  experimentMissing: {
    address: experimentAddress,
    answer: problem({
      code: 'job_not_found',
      title: 'Job not found',
      status: 404,
      detail: 'No experiment has this id.',
    }),
    shows: '.experiment .failure',
  },
  whatIfLoading: {
    address: predictedAddress,
    answer: predicted(none),
    act: openWhatIf,
    shows: '.what-if .part-body p',
  },
  whatIfGone: {
    address: predictedAddress,
    answer: predicted(
      problem({
        code: 'artifacts_gone',
        title: 'Artifacts are not stored',
        status: 410,
        detail: 'The trace and the network log of this result are no longer stored.',
      }),
    ),
    act: openWhatIf,
    shows: '.what-if .failure',
  },
  stale: {
    address: on.remote,
    answer: call =>
      call.json(richResult({ cache: { status: 'stale', age: 18_000, expires_at: '2026-11-21T12:00:00.000Z' } })),
    shows: '.column .fixes',
  },
  both: {
    address: query({ backend: 'local', strategy: 'both' }),
    answer: call =>
      call.json(
        buildLocalResult({
          ...richResult(),
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
        mobile: richResult(),
        desktop: {
          url,
          error: buildProblem({
            code: 'psi_timeout',
            title: 'PSI server timed out',
            detail: 'The PSI server did not respond within 150 s.',
          }),
        },
      }),
    shows: '.column .failure',
  },
  compared: { address: on.compare, answer: call => call.json(comparison()), shows: '.compared .fixes' },
  comparedAgentic: {
    address: query({ backend: 'compare', categories: 'performance,agentic-browsing' }),
    answer: call => {
      const { psi, lighthouse, ...rest } = comparison();
      call.json({ ...rest, psi: { ...psi, ...agentic }, lighthouse: { ...lighthouse, ...agentic } });
    },
    shows: 'text=Agentic browsing: 3 of 5 audits passed. >> nth=1',
  },
  comparedKept: {
    address: `${query({ backend: 'compare' })}&result=${keptId}`,
    answer: keptBoth,
    shows: '.compared .fixes',
  },
  comparedLoadDetails: { address: on.compare, answer: keptBoth, act: openLoadDetails, shows: '.pairs' },
  comparedWhatIf: {
    address: on.compare,
    answer: call => {
      if (call.path.endsWith('/what-if')) return call.json(buildWhatIf());
      if (call.path !== '/compare') return keptBoth(call);
      const { lighthouse, ...rest } = keptComparison();
      const environment = { ...lighthouse.environment, throttling_method: 'simulate' };
      call.json({ ...rest, lighthouse: { ...lighthouse, environment } });
    },
    act: openWhatIf,
    shows: '.compared .map-cell',
  },
  comparedApart: {
    address: on.compare,
    answer: keptBoth,
    act: async page => {
      await page.getByRole('button', { name: /^On one side only/ }).click();
    },
    shows: '.pairs [data-apart=true]',
  },
  compareHalf: {
    address: on.compare,
    answer: call =>
      call.json({
        url,
        strategy: 'mobile',
        psi: {
          url,
          error: buildProblem({
            code: 'psi_quota_exceeded',
            title: 'PSI quota used up',
            detail: 'The PSI quota is used up.',
          }),
        },
        lighthouse: local(),
        comparison: null,
      }),
    shows: '.pairing .fixes',
  },
  batchQueued: {
    address: query({ backend: 'local' }, fourPages),
    answer: call => queue(call, 'lighthouse', positionOf(call) + 2),
    shows: 'tr[data-state=running] >> nth=1',
    isRunning: true,
  },
  batchRunning: {
    address: query({ backend: 'remote' }, pages),
    answer: call => call.line({ index: 1, ...batchEntries[1] }),
    shows: 'tr[data-state=done]',
    isRunning: true,
  },
  batchHalfDone: {
    address: query({ backend: 'local' }, fourPages),
    answer: call => {
      const answers = [
        () => call.json(local()),
        () => call.json(buildProblem({ source: 'lighthouse' }), 502),
        () => load(call, 'lighthouse'),
        () => queue(call, 'lighthouse', 1),
      ];
      answers[positionOf(call)]?.();
    },
    shows: 'tr:has-text("Next in the queue")',
    isRunning: true,
  },
  batchCompareRunning: {
    address: query({ backend: 'compare' }, fourPages),
    answer: call => {
      if (positionOf(call) === 0) return call.json(comparison());
      load(call, 'psi');
      queue(call, 'lighthouse', 1);
    },
    shows: 'tr[data-state=running] >> nth=1',
    isRunning: true,
  },
  batchCancelled: {
    address: query({ backend: 'local' }, fourPages),
    answer: call => (positionOf(call) === 0 ? call.json(local()) : load(call, 'lighthouse')),
    act: async page => {
      await page.locator('tr:has-text("Loading the page") >> nth=1').waitFor();
      await cancel(page);
    },
    shows: 'th[aria-sort]',
  },
  batchOpened: {
    address: query({ backend: 'remote' }, pages),
    answer: call => call.json({ results: batchEntries, total: 3, succeeded: 2, failed: 1 }),
    act: page => page.locator('.more:enabled').first().click(),
    shows: '.opened',
  },
  batch: {
    address: query({ backend: 'remote' }, pages),
    answer: call => call.json({ results: batchEntries, total: 3, succeeded: 2, failed: 1 }),
    shows: 'th[aria-sort]',
  },
  batchAgentic: {
    address: query({ backend: 'local', categories: 'performance,agentic-browsing' }, pages),
    answer: call => call.json({ ...local(), ...agentic, url: call.params.get('url') }),
    shows: 'td:has-text("3/5")',
  },
  batchMixed: {
    address: query({ backend: 'local' }, fourPages),
    answer: call => {
      const answers = [
        () => call.json(local()),
        () => call.json({ ...disturbedResult(), url: pages[1] }),
        () => call.json(buildProblem({ source: 'lighthouse' }), 502),
        () => call.json(buildLocalResult({ url: fourPages[3] ?? '' })),
      ];
      answers[positionOf(call)]?.();
    },
    shows: 'th[aria-sort]',
  },
  batchCompared: {
    address: query({ backend: 'compare' }, pages.slice(0, 2)),
    answer: call => call.json(comparison()),
    shows: 'th[aria-sort]',
  },
  batchPictures: {
    address: query({ backend: 'local', strategy: 'both' }, pages),
    answer: call => {
      if (call.path.endsWith('/screenshot')) return call.picture();
      if (call.params.get('url') === pages[2]) return call.json(buildProblem({ source: 'lighthouse' }), 502);
      const { links } = keptResult();
      call.json({ ...local(), strategy: sideOf(call), url: call.params.get('url'), id: keptId, links });
    },
    keeps: true,
    shows: 'th[aria-sort]',
  },
  batchKept: { address: query({ backend: 'remote' }, pages), answer: keptList, keeps: true, shows: 'th[aria-sort]' },
  batchKeptRest: {
    address: query({ backend: 'remote' }, pages),
    answer: call => {
      if (call.path !== '/psi') keptList(call);
    },
    keeps: true,
    act: page => page.getByRole('button', { name: 'Measure the other page' }).click(),
    shows: 'text=not in this run',
    isRunning: true,
  },
  batchForgotten: {
    address: query({ backend: 'remote' }, pages),
    answer: call => call.json({ results: batchEntries, total: 3, succeeded: 2, failed: 1 }),
    act: async page => {
      await page.locator('th[aria-sort]').waitFor();
      await page.reload();
    },
    shows: 'text=This service stores no results',
  },
  batchLong: {
    address: query({ backend: 'remote' }, manyPages).replace('?', '#'),
    answer: call => {
      const { urls } = JSON.parse(call.body) as { urls: string[] };
      for (const [index, page] of urls.entries())
        call.line({ index, ...richResult({ url: page }), lighthouse_result: {} });
      call.end();
    },
    shows: '.common',
  },
  sitemap: { address: sitemapAddress, answer: call => call.json(sitemap), shows: '.sitemap-pages' },
  sitemapLoading: { address: sitemapAddress, answer: none, shows: '.sitemap' },
  sitemapFailed: {
    address: sitemapAddress,
    answer: problem({
      code: 'sitemap_not_found',
      title: 'No sitemap found',
      detail: 'robots.txt of harbour.example lists no sitemap, and /sitemap.xml does not exist.',
    }),
    shows: '.failure',
  },
  malformedLink: { address: '/?result=half-a-link', answer: none, shows: '.failure' },
  failed: {
    address: on.local,
    answer: call =>
      call.json(
        buildProblem({
          code: 'queue_full',
          title: 'Queue full',
          status: 503,
          detail: 'As many audits are waiting as may wait.',
        }),
        503,
        { 'retry-after': '40' },
      ),
    shows: '.failure',
  },
  refused: {
    address: query({ backend: 'local' }, ['ftp://harbour.example/']),
    answer: call =>
      call.json(
        { detail: [{ loc: ['query', 'url'], msg: "URL scheme should be 'http' or 'https'", type: 'url_scheme' }] },
        422,
      ),
    shows: '.failure',
  },
  key: { address: on.remote, answer: problem({ code: 'unauthorized', status: 401 }), shows: '.key-form' },
  keyEntered: {
    address: keptAddress,
    answer: call => {
      if (call.headers.authorization === undefined)
        return call.json(buildProblem({ code: 'unauthorized', status: 401 }), 401);
      kept(none)(call);
    },
    act: async page => {
      await page.getByLabel('Key').fill('a-key-of-the-service');
      await page.keyboard.press('Enter');
    },
    shows: '.column .fixes',
  },
} as const satisfies Record<string, State>;

export type StateName = keyof typeof states;
export const stateNames = Object.keys(states) as StateName[];
export const runningStateNames = stateNames.filter(name => 'isRunning' in states[name]);

export async function leadTo(scope: Scope, page: Page, name: StateName): Promise<StubService> {
  const { address, answer, act, shows, keeps }: State = states[name];
  const service = await startStubService(scope, answer, keeps ? { DATA_DIR: makeScratchFolder(scope) } : {});
  await page.goto(`${service.url}${address}`);
  await act?.(page);
  await page.locator(shows).first().waitFor();
  return service;
}

/** Opens a page and leads it to a state. */
export async function openState(
  scope: Scope,
  browser: Browser,
  name: StateName,
  options: BrowserContextOptions = {},
): Promise<{ page: OpenedPage; service: StubService }> {
  const page = await openPage(scope, browser, options);
  return { page, service: await leadTo(scope, page, name) };
}
