/** Plants that target gaps in the rules, by an author who knew them, written before any was tried. */
import {
  addError,
  addFile,
  auditOf,
  base,
  flip,
  lcp,
  type PurePlant,
  requestsOf,
  score,
  setDocument,
  setElement,
  setElements,
  setThrottling,
  withFile,
} from './pure-plants.ts';
import { addPicture, blocking, refused, setObserved, setPaints, setScripts, took } from './second-set/drafts.ts';

const noPage = /did not load/;

export const fourthSet: readonly PurePlant[] = [
  {
    name: 'a document that is not packed',
    planted: 'local: 140 KB of the network in place of 22, the same text; 8 points of paints',
    plant: ({ psi, lighthouse }) => {
      setDocument(psi, { resourceSize: 140_000, transferSize: 22_000 });
      setDocument(lighthouse, { resourceSize: 140_000, transferSize: 140_300 });
      setPaints(lighthouse, 1700, 2700);
      score(lighthouse, { 'first-contentful-paint': 0.75, 'largest-contentful-paint': 0.74 });
    },
    first: 'different_page',
    says: /^The two sides got the same files with different compression: the document transferred 22 KB on psi\.example and 140 KB/i,
    never: /simulation of|no known cause/i,
  },
  {
    name: 'a document that comes in drops',
    planted: 'remote: its first byte at once, its last one after 2.6 s; 12 points of paints',
    plant: ({ psi, lighthouse }) => {
      setDocument(psi, took(2600));
      setDocument(lighthouse, took(60));
      setObserved(psi, 2700);
      score(psi, { 'first-contentful-paint': 0.6, 'largest-contentful-paint': 0.65 });
    },
    first: 'server',
    says: /12 points higher.*server.*2600 ms/i,
    never: /simulation of|no known cause|did not load/i,
  },
  {
    name: 'one error more',
    planted: 'both: an error of a library; remote: another one of the page itself, and 11 elements of 15',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) addError(draft, 'Refused to apply style: its MIME type is not supported');
      addError(psi, "TypeError: Cannot set properties of null (setting 'innerHTML')");
      setElements(psi, 11);
    },
    first: 'different_page',
    says: /the console shows an error only on psi\.example \(TypeError: Cannot set/i,
  },
  {
    name: 'a film in place of a picture',
    planted: 'remote: a film of 3 MB where this side has a picture of 200 KB; 15 points',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, `${base}hero.mp4`, { resourceType: 'Media', resourceSize: 3_000_000, statusCode: 206 });
      addPicture(lighthouse, `${base}hero.jpg`, 200_000);
      lcp(psi, 0.38);
    },
    first: 'different_page',
    says: /^The two sides did not load the same page: .*hero\.(mp4|jpg).*hero\.(mp4|jpg)/,
    never: /no known cause/,
  },
  {
    name: 'a call without an answer',
    planted: 'local: the policy of this machine refuses a private address; a call fails, an error in the console',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, 'http://api.inside.example/stock', { resourceType: 'Fetch', resourceSize: 9000 });
      addFile(lighthouse, 'http://api.inside.example/stock', { resourceType: 'Fetch', ...refused, finished: true });
      addError(lighthouse, 'Failed to load resource: net::ERR_TUNNEL_CONNECTION_FAILED');
    },
    environment: { lighthouse: { blocked_requests: 1 } },
    first: 'different_page',
    says: /^The two sides did not load the same page: .*(api\.inside\.example|ERR_TUNNEL)/,
  },
  {
    name: 'a call with an empty answer',
    planted: 'remote: 2 bytes in place of 14 KB',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, `${base}api/list`, { resourceType: 'Fetch', resourceSize: 2 });
      addFile(lighthouse, `${base}api/list`, { resourceType: 'Fetch', resourceSize: 14_000 });
    },
    first: 'different_page',
    says: /different pages?: \/same-many\/api\/list has 2 bytes on psi\.example and 14 KB in local Lighthouse/i,
  },
  {
    name: 'a frame that fails',
    planted: 'remote: 500 for a map',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, 'https://maps.example/embed', { resourceType: 'Document', statusCode: 500, resourceSize: 200 });
      addFile(lighthouse, 'https://maps.example/embed', { resourceType: 'Document', resourceSize: 80_000 });
    },
    first: 'different_page',
    says: /^The two sides did not load the same page: maps\.example\/embed returned a 500 on psi\.example/i,
  },
  {
    name: 'with and without www',
    planted: 'local: ends at boats.example, and so do its files',
    plant: ({ lighthouse }) => {
      for (const item of requestsOf(lighthouse)) item.url = String(item.url).replace('www.', '');
      for (const key of ['finalDisplayedUrl', 'mainDocumentUrl', 'finalUrl'] as const)
        lighthouse[key] = lighthouse[key].replace('www.', '');
    },
    first: 'different_page',
    says: /^The two sides did not load the same page: the final URL was .*www\.boats\.example\S* .* and http:\/\/boats\.example\S* in local Lighthouse/i,
    never: /loaded only/i,
  },
  {
    name: 'a larger picture here, a disturbed run there',
    planted: 'local: 3 MB, 12 points; remote: blocking that is nobody’s work, 12 points',
    plant: ({ psi, lighthouse }) => {
      withFile(lighthouse, '3.png', { resourceSize: 3_000_000, transferSize: 3_000_200 });
      lcp(lighthouse, 0.5);
      auditOf(psi, 'long-tasks').details.items = [{ url: 'Unattributable', duration: 450, startTime: 900 }];
      auditOf(psi, 'mainthread-work-breakdown').details.items = [{ group: 'other', duration: 600 }];
      blocking(psi, 0.6, 400);
    },
    againAsThere: { 'largest-contentful-paint': 0.98 },
    first: 'different_page',
    says: /^The two sides did not load the same page: .* has 72 KB on psi\.example/i,
    never: /no known cause|(explains?|accounts? for) (12|the whole)|simulation of/i,
  },
  {
    name: 'a desktop page and another picture',
    planted: 'remote: a desktop computer gets 900 KB in place of 72; 11 points',
    plant: ({ psi, lighthouse }) => {
      psi.configSettings.formFactor = 'desktop';
      withFile(psi, '3.png', { resourceSize: 900_000, transferSize: 900_200 });
      lcp(lighthouse, 0.54);
    },
    first: 'different_page',
    says: /^The two sides did not load the same page: .* has 900 KB on psi\.example/i,
    never: /no known cause|accounts? for|explains?|costs?/,
  },
  {
    name: 'a side without a score',
    planted: 'remote: no largest paint, so no score of performance',
    plant: ({ psi }) => {
      auditOf(psi, 'largest-contentful-paint').score = null;
      if (psi.categories.performance) psi.categories.performance.score = null;
    },
    first: null,
    says: /scored only in local Lighthouse: performance \(99\)/i,
    never: /did not load|no known cause|explains?|costs?|lower|higher/i,
  },
  {
    name: 'a remote side without its tables',
    planted: 'remote: no times of scripts, no tasks; 12 points of blocking time here',
    plant: ({ psi, lighthouse }) => {
      for (const id of ['bootup-time', 'long-tasks', 'mainthread-work-breakdown', 'metrics']) delete psi.audits[id];
      blocking(lighthouse, 0.6, 320);
    },
    first: ['unexplained', 'disturbed_run'],
    says: /12 points lower/,
    never: /did not load|explains?|costs?|CPU throttling|simulation of|machines/i,
  },
  {
    name: 'scripts on a machine of 2.4 times the speed',
    planted: 'remote: every script takes 0.4 times as long, benchmark 2400 against 1000; 9 points',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 2400;
      lighthouse.environment.benchmarkIndex = 1000;
      setScripts(psi, { '1.js': 30, '2.js': 300, '3.js': 35 });
      setScripts(lighthouse, { '1.js': 74, '2.js': 930, '3.js': 83 });
      blocking(psi, 0.65, 300);
      blocking(lighthouse, 0.35, 900);
    },
    first: ['unexplained', 'machine'],
    says: /9 points lower/,
    never: /did not load|explains?|costs?|simulation of/i,
  },
  {
    name: 'shifts of the text once',
    planted: 'local: 12 points of layout shifts in a single run, nothing else',
    plant: ({ lighthouse }) => score(lighthouse, { 'cumulative-layout-shift': 0.52 }),
    first: 'unexplained',
    says: /no known cause for the difference/,
    never: noPage,
  },
  {
    name: 'an answer of three days ago, and the usual noise',
    planted: 'nothing: 3 points of blocking time, and the page is the same',
    plant: ({ lighthouse }) => blocking(lighthouse, 0.9, 180),
    cached: { age: 3 * 86_400 },
    first: [null, 'run_noise', 'cached_answer'],
    says: /3 points lower.*within normal run-to-run variation.*result on psi\.example is 3 days old/,
    never: /did not load|Possible cause|no known cause/,
  },
  {
    name: 'a page for each visitor',
    planted: 'nothing: the document is 7 % larger, 17 elements in place of 15, one picture of 9 KB more',
    plant: ({ psi }) => {
      setDocument(psi, { resourceSize: 1576 });
      setElements(psi, 17);
      addPicture(psi, `${base}offers/sail.jpg`, 9000);
    },
    first: [null, 'different_page'],
    says: /^Both sides score 99/,
    never: /did not load|explains?|costs?|no known cause/i,
  },
  {
    name: 'a cookie of a third party',
    planted: 'remote: third-party-cookies fails; everything else is alike',
    plant: ({ psi }) => flip(psi, 'third-party-cookies', 'best-practices', 0.55),
    first: 'audits',
    says: /^Both sides score 99\. best practices is 19 points higher.*\(third-party-cookies failed on psi\.example\)/i,
    never: noPage,
  },
  {
    name: 'another headline on every load',
    planted: 'nothing: three local runs and the remote one each have another headline, the scores 3 points apart',
    plant: ({ psi, lighthouse }) => {
      setElement(psi, 'Sail with us');
      setElement(lighthouse, 'Row with us');
      setThrottling(lighthouse, {});
      lcp(lighthouse, 0.86);
    },
    others: ['Swim with us', 'Fish with us'].map((text, at) => draft => {
      setElement(draft, text);
      lcp(draft, 0.9 + 0.04 * at);
    }),
    first: [null, 'run_noise'],
    says: /within the spread of the local runs|inside|Possible causes?: run-to-run noise|3 points lower/i,
    never: /did not load|may have loaded|no known cause|explains?|costs?/i,
  },
];
