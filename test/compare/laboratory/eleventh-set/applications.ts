/** An application with hydration, and a dashboard behind a login: data, flags, errors, machines. */
import { elsewhere, pageBy } from '../fifth-set/expected.ts';
import { type Draft, otherPicture, type PurePlant, setThrottling } from '../pure-plants.ts';
import { logError, scoresOf, show } from './drafts.ts';
import { at, call } from './files.ts';
import { application, dashboard, type Page, withMore, without } from './pages.ts';

const bundle = at('assets/index-B7xq2LmZ.js');
const mismatch =
  'Error: Minified React error #418; visit https://react.dev/errors/418 for the full message or use the non-minified dev environment';
const renderedTwice: Page = { ...application, scripts: { ...application.scripts, [bundle]: 980 }, layout: 310 };
const withMismatch = (draft: Draft, wobble: number) => {
  show(draft, renderedTwice, wobble);
  logError(draft, mismatch);
};

const flags = (fields: Record<string, unknown>) => call('https://flags.launch.example/eval/web', 3100, fields);
const withoutFlags: Page = {
  ...withMore(application, [
    flags({ statusCode: -1, resourceSize: 0, transferSize: 0, networkRequestTime: 900, networkEndTime: 3900 }),
  ]),
  paints: [2600, 6300, 5100],
  seen: [880, 4480],
};

const scaled = (page: Page, factor: number): Page => ({
  ...page,
  scripts: Object.fromEntries(Object.entries(page.scripts).map(([url, ms]) => [url, factor * ms])),
  layout: factor * page.layout,
  painting: factor * page.painting,
});

const answers = (sizes: Readonly<Record<string, number>>) =>
  Object.entries(sizes).map(([name, size]) => call(`api/${name}`, size));
const noData: Page = {
  ...withMore(
    without(without(dashboard, 'charts.js'), '/api/'),
    answers({ me: 900, 'series/revenue': 40, 'series/berths': 40, 'tables/bookings': 62 }),
  ),
  elements: 210,
  element: 'There is no data for this period yet',
  layout: 40,
  painting: 12,
  paints: [2100, 2500, 2300],
  seen: [600, 860],
};

const socket = {
  url: 'ws://www.boats.example/live',
  statusCode: 101,
  resourceType: 'WebSocket',
  finished: true,
  mimeType: '',
  resourceSize: 0,
  transferSize: 0,
};
const live: Page = { ...dashboard, files: [...dashboard.files, socket] };
const polls = Array.from({ length: 18 }, (_, index) => call(`api/poll?since=${4100 + 7 * index}`, 2600));
const polling: Page = {
  ...withMore(dashboard, [{ ...socket, statusCode: 502 }, ...polls]),
  scripts: { ...dashboard.scripts, [at('static/app.js')]: 410 },
};

export const applications: readonly PurePlant[] = [
  {
    name: 'a page that the edge had rendered already',
    planted: 'remote: 88 KB of document and no call for the catalogue, the same bundles; painted 1.5 s sooner',
    plant: ({ psi, lighthouse }) => {
      show(psi, {
        ...without(application, 'api/catalogue'),
        document: [88_000, 17_500],
        paints: [1500, 2200, 2000],
        seen: [320, 610],
      });
      show(lighthouse, application);
    },
    first: 'different_page',
    says: pageBy('document|api/catalogue'),
    never: elsewhere,
  },
  {
    name: 'a clock of another zone breaks hydration',
    planted: 'local: error 418, so the bundle renders all of it again, 980 in place of 410 ms, in each of three runs',
    plant: ({ psi, lighthouse }) => {
      show(psi, application);
      withMismatch(lighthouse, 1);
    },
    others: [0.97, 1.03].map(wobble => draft => withMismatch(draft, wobble)),
    first: 'different_page',
    says: pageBy('418|index-B7xq2LmZ'),
    never: elsewhere,
  },
  {
    name: 'a service of flags that does not answer',
    planted: 'local: the call ends after 3 s without an answer, an error in the console, the page waits for it',
    plant: ({ psi, lighthouse }) => {
      show(psi, withMore(application, [flags({})]));
      show(lighthouse, withoutFlags);
      logError(lighthouse, 'Failed to load resource: net::ERR_TIMED_OUT');
    },
    simulated: {},
    first: ['different_page', 'server'],
    says: /flags\.launch\.example|ERR_TIMED_OUT/,
    never: elsewhere,
  },
  {
    name: 'hydration on a workstation and on a small server',
    planted: 'remote: index 4,100 against 820, sixteen processors and two; all work a fifth as long; desktop',
    strategy: 'desktop',
    plant: ({ psi, lighthouse }) => {
      const desktop = { ...application, paints: [700, 1150, 1000] } as const;
      for (const draft of [psi, lighthouse]) {
        draft.configSettings.formFactor = 'desktop';
        setThrottling(draft, { rttMs: 40, throughputKbps: 10_240, cpuSlowdownMultiplier: 1 });
      }
      psi.environment.benchmarkIndex = 4100;
      lighthouse.environment.benchmarkIndex = 820;
      show(psi, { ...scaled(desktop, 0.2), paints: [640, 1030, 900], seen: [310, 520] });
      show(lighthouse, desktop);
    },
    environment: {
      psi: { boot_id: '00000000000000c1', processors: 16 },
      lighthouse: { boot_id: '00000000000000d2', processors: 2 },
    },
    simulated: { machine: scoresOf({ fcp: 645, lcp: 1040, si: 905, tbt: 35 }, 'desktop') },
    first: 'machine',
    says: /points lower.*machine/,
    never: /did not load|may have loaded|explains?|costs?|no known cause|simulation of|network throttling|disturbed/i,
  },
  {
    name: 'another tenant, whose tables are empty',
    planted: 'remote: 40 bytes from each call in place of 640 KB, no charts, 210 elements of 3,100',
    plant: ({ psi, lighthouse }) => {
      show(psi, noData);
      show(lighthouse, dashboard);
      otherPicture(psi);
    },
    first: 'different_page',
    says: pageBy('api/|charts\\.js|elements|There is no data'),
    never: elsewhere,
  },
  {
    name: 'polls where a socket is not let through',
    planted: 'local: an error of the socket, 18 polls in its place, the application works 150 ms more',
    plant: ({ psi, lighthouse }) => {
      show(psi, live);
      show(lighthouse, polling);
      logError(
        lighthouse,
        "WebSocket connection to 'ws://www.boats.example/live' failed: Error during WebSocket handshake: Unexpected response code: 502",
      );
    },
    first: 'different_page',
    says: pageBy('poll|WebSocket|/live|502|app\\.js'),
    never: elsewhere,
  },
  {
    name: 'charts beside a second audit',
    planted: 'local: another audit at once, index 610 of usually 1,500, all work 2.3 times as long; remote: 1,450',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 1450;
      lighthouse.environment.benchmarkIndex = 610;
      show(psi, dashboard);
      show(lighthouse, { ...scaled(dashboard, 2.3), paints: [2400, 3500, 3350], seen: [980, 2100] });
    },
    environment: { lighthouse: { concurrent_audits: 1, benchmark_median: 1500 } },
    first: 'disturbed_run',
    says: /points lower.*disturbed/i,
    never: /did not load|may have loaded|no known cause|explains?|costs?|processor|simulation of|network throttling/i,
  },
];
