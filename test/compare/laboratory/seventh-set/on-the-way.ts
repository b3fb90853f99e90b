/** Differences between browser and page: filters, policies, proxies, edges, connections. */
import { elsewhere, pageBy } from '../fifth-set/expected.ts';
import {
  addError,
  addFile,
  auditOf,
  base,
  type Draft,
  flip,
  type PurePlant,
  requestsOf,
  setDocument,
  setElements,
  setResponse,
  withFile,
} from '../pure-plants.ts';
import { addScript, eachRequest, refused, setScripts, took } from '../second-set/drafts.ts';
import { blockingOf, measure, scoresOf } from './drafts.ts';

const advertisers = {
  'https://tagserver.example/w.js': 110,
  'https://bidding.example/prebid.js': 240,
  'https://heatmap.example/h.js': 90,
  'https://retarget.example/r.js': 130,
};
const tag = 'https://tags.example/loader.js';

/** Each answer waits: the document for so long, the files for somewhat less. */
const withAnswers = (draft: Draft, document: number, file: number) => {
  setResponse(draft, document);
  eachRequest(draft, item => ({ ...item, ...took(item.resourceType === 'Document' ? document : file) }));
};
const fromOrigin = (draft: Draft, at: number) => {
  withAnswers(draft, 520 + 15 * at, 430 - 10 * at);
  measure(draft, { fcp: 2100 + 20 * at, lcp: 2900 + 30 * at, si: 2100 + 20 * at }, { paint: 1250 + 30 * at });
};
const byOldProtocol = (draft: Draft, lcp: number) => {
  eachRequest(draft, item => ({ ...item, protocol: 'http/1.1' }));
  measure(draft, { fcp: 1700, lcp, si: 1800 }, { paint: 410 });
};

export const onTheWay: readonly PurePlant[] = [
  {
    name: 'a list of what is filtered',
    planted: 'local: four advertisers are blocked by a filter, with an error each; 13 points higher here',
    plant: ({ psi, lighthouse }) => {
      for (const url of Object.keys(advertisers)) {
        addScript(psi, url, 74_000);
        addScript(lighthouse, url, 0, refused);
        addError(lighthouse, 'Failed to load resource: net::ERR_BLOCKED_BY_CLIENT');
      }
      const own = { '1.js': 48, '2.js': 49 };
      setScripts(psi, { ...own, ...advertisers });
      setScripts(lighthouse, own);
      flip(lighthouse, 'errors-in-console', 'best-practices', 0.7);
      measure(psi, { tbt: blockingOf([48, 49, ...Object.values(advertisers)]) });
      measure(lighthouse, { tbt: blockingOf([48, 49]) });
    },
    first: 'different_page',
    says: pageBy('tagserver|bidding|heatmap|retarget|ERR_BLOCKED'),
    never: elsewhere,
  },
  {
    name: 'a third party that wakes up on one side',
    planted: 'both: the same tag of 88 KB; remote it bids and runs 480 ms, here 22; 13 points higher here',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) addScript(draft, tag, 88_000);
      setScripts(psi, { '1.js': 48, '2.js': 49, [tag]: 480 });
      setScripts(lighthouse, { '1.js': 47, '2.js': 51, [tag]: 22 });
      measure(psi, { tbt: blockingOf([48, 49, 480]) });
      measure(lighthouse, { tbt: blockingOf([47, 51, 22]) });
    },
    first: 'different_page',
    says: pageBy('tags\\.example'),
    never: elsewhere,
  },
  {
    name: 'a call that hangs',
    planted: 'remote: recommendations have no answer until the load ends, and 12 elements are missing',
    plant: ({ psi, lighthouse }) => {
      const call = { resourceType: 'Fetch', networkRequestTime: 300 };
      addFile(psi, `${base}api/recommend`, { ...call, ...refused, finished: false });
      addFile(lighthouse, `${base}api/recommend`, { ...call, resourceSize: 14_000, networkEndTime: 352 });
      setElements(lighthouse, 27);
    },
    first: 'different_page',
    says: pageBy('recommend|elements'),
    never: elsewhere,
  },
  {
    name: 'a font that pushes the text down',
    planted: 'remote: the font takes 1.5 s in place of 40 ms, and layout shifts are 0.18; 8 points higher here',
    plant: ({ psi, lighthouse }) => {
      const font = { resourceType: 'Font', resourceSize: 38_000, transferSize: 38_200 };
      addFile(psi, `${base}fonts/inter.woff2`, { ...font, ...took(1500) });
      addFile(lighthouse, `${base}fonts/inter.woff2`, { ...font, ...took(40) });
      measure(psi, { cls: 0.18 });
    },
    simulated: {},
    first: ['layout_shift', 'server', 'different_page', 'unexplained'],
    says: /8 points higher.*inter\.woff2|inter\.woff2.*8 points higher/,
    never: /did not load|CPU throttling|CPU|machines|simulation of|disturbed|explains?|costs?/i,
  },
  {
    name: 'a policy of content',
    planted: 'remote: the policy of the page refuses a widget: an error, 15 elements of 62',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, 'https://widgets.example/reviews.js', refused);
      addScript(lighthouse, 'https://widgets.example/reviews.js', 120_000);
      addError(
        psi,
        "Refused to load the script 'https://widgets.example/reviews.js' because it violates the following Content Security Policy directive: \"script-src 'self'\".",
      );
      flip(psi, 'errors-in-console', 'best-practices', 0.7);
      flip(psi, 'inspector-issues', 'best-practices', 0.66);
      setScripts(psi, { '1.js': 48, '2.js': 49 });
      setScripts(lighthouse, { '1.js': 47, '2.js': 51, 'https://widgets.example/reviews.js': 70 });
      setElements(lighthouse, 62);
      measure(lighthouse, { tbt: blockingOf([47, 51, 70]) });
    },
    first: 'different_page',
    says: pageBy('widgets\\.example|Content Security'),
    never: elsewhere,
  },
  {
    name: 'a document that breaks off',
    planted: 'local: the first 700 bytes of 1,473: 7 elements, two pictures and no script',
    plant: ({ lighthouse }) => {
      setDocument(lighthouse, { resourceSize: 700, transferSize: 860 });
      setElements(lighthouse, 7);
      for (const name of ['3.png', '4.png', '5.png', '6.png', '1.js', '2.js', '3.js', '4.js'])
        withFile(lighthouse, name, null);
      addError(lighthouse, 'Failed to load resource: net::ERR_INCOMPLETE_CHUNKED_ENCODING');
      setScripts(lighthouse, {});
      measure(lighthouse, { lcp: 1500, tbt: 0 });
    },
    first: 'different_page',
    says: /^The two sides did not load the same page/,
    never: elsewhere,
  },
  {
    name: 'a page that loads itself again',
    planted: 'remote: sets a cookie and reloads, so the document comes twice and its files too; 5 points',
    plant: ({ psi }) => {
      const all = requestsOf(psi);
      const again = all.map(item => (item.resourceType === 'Document' ? { ...item } : { ...item, transferSize: 0 }));
      auditOf(psi, 'network-requests').details.items = [...all, ...again];
      measure(psi, { fcp: 1700, lcp: 2900, si: 1900 }, { paint: 900 });
    },
    first: ['different_page', 'server'],
    says: /twice|again|2 times|redirect|requests|did not load|different pages?/i,
    never: /simulation of|CPU throttling|machines|disturbed|explains?|costs?/i,
  },
  {
    name: 'all from the origin, none from the edge',
    planted: 'local: 520 ms for the document and 430 for each file in place of 40 and 25; 6 points lower; 3 runs',
    plant: ({ psi, lighthouse }) => {
      withAnswers(psi, 40, 25);
      fromOrigin(lighthouse, 0);
    },
    others: [1, 2].map(at => draft => fromOrigin(draft, at)),
    simulated: { server: scoresOf({ fcp: 1100, lcp: 1850, si: 1100 }) },
    first: 'server',
    says: /[567] points lower.*server/i,
    never: /did not load|no known cause|CPU throttling|machines|simulation of|disturbed/i,
  },
  {
    name: 'a proxy that speaks no HTTP/2',
    planted: 'local: HTTP/1.1 for every file in three runs, HTTP/2 on the remote side; 6 points lower',
    plant: ({ psi, lighthouse }) => {
      eachRequest(psi, item => ({ ...item, protocol: 'h2' }));
      byOldProtocol(lighthouse, 3000);
    },
    others: [2950, 3060].map(ms => draft => byOldProtocol(draft, ms)),
    simulated: {},
    first: ['different_page', 'server'],
    says: /HTTP\/1\.1/i,
    never: /no known cause|CPU throttling|machines|simulation of|disturbed/i,
  },
];
