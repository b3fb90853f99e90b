/** Access, and content that depends on the visitor: robots, countries, visitors, filters. */
import {
  addError,
  addFile,
  addScriptTime,
  auditOf,
  base,
  lcp,
  moveTo,
  origin,
  otherPicture,
  type PurePlant,
  requestsOf,
  score,
  setDocument,
  setElement,
  setElements,
  withFile,
} from '../pure-plants.ts';
import { addPicture, addScript, blocking, refused, setScripts } from '../second-set/drafts.ts';
import { elsewhere, pageBy } from './expected.ts';

const keepOnlyTheDocument = (draft: Parameters<typeof requestsOf>[0]) => {
  auditOf(draft, 'network-requests').details.items = requestsOf(draft).slice(0, 1);
};

export const walls: readonly PurePlant[] = [
  {
    name: 'the wall strikes here',
    planted: 'local: a challenge of 5 KB with a script of its own, 100 points; remote: the page, 79',
    plant: ({ psi, lighthouse }) => {
      keepOnlyTheDocument(lighthouse);
      setDocument(lighthouse, { resourceSize: 5200, transferSize: 2100 });
      addScript(lighthouse, `${origin}/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1`, 92_000);
      setElement(lighthouse, 'Checking your browser before you continue');
      setElements(lighthouse, 31);
      score(lighthouse, { 'largest-contentful-paint': 1, 'first-contentful-paint': 1 });
      lcp(psi, 0.18);
    },
    first: 'different_page',
    says: /^The two sides did not load the same page/,
    never: elsewhere,
  },
  {
    name: 'a waiting room',
    planted: 'remote: ends in the queue of another host, 99 on both sides',
    plant: ({ psi }) => {
      keepOnlyTheDocument(psi);
      moveTo(psi, 'https://queue.example/?c=boats&e=sale&t=http%3A%2F%2Fwww.boats.example%2Fsame-many%2F');
      setDocument(psi, { url: 'https://queue.example/?c=boats&e=sale', resourceSize: 14_000 });
      setElement(psi, 'You are now in line');
      otherPicture(psi);
    },
    first: 'different_page',
    says: /^The two sides did not load the same page.*queue\.example/,
    never: elsewhere,
  },
  {
    name: 'sold out',
    planted: 'local: the shop here has no such boat and leads to its front page',
    plant: ({ lighthouse }) => {
      moveTo(lighthouse, `${origin}/`);
      setDocument(lighthouse, { url: `${origin}/`, resourceSize: 9800 });
      for (const name of ['4.png', '5.png', '6.png']) withFile(lighthouse, name, null);
      setElement(lighthouse, 'Boats for everyone');
    },
    first: 'different_page',
    says: /^The two sides did not load the same page.*final URL/i,
    never: elsewhere,
  },
  {
    name: 'back in a moment',
    planted: 'remote: a page for maintenance with status 200 and no files; 14 points lower here',
    plant: ({ psi, lighthouse }) => {
      keepOnlyTheDocument(psi);
      setDocument(psi, { resourceSize: 740, transferSize: 560 });
      setElement(psi, 'We will be back soon');
      setElements(psi, 8);
      score(psi, { 'first-contentful-paint': 1, 'largest-contentful-paint': 1 });
      blocking(lighthouse, 0.54, 380);
    },
    first: 'different_page',
    says: /^The two sides did not load the same page/,
    never: elsewhere,
  },
  {
    name: 'rendered for robots',
    planted: 'remote: 64 KB of ready HTML and no script; local: four scripts of 290 ms; 21 points lower here',
    plant: ({ psi, lighthouse }) => {
      setDocument(psi, { resourceSize: 64_000, transferSize: 13_000 });
      for (const at of [1, 2, 3, 4]) withFile(psi, `${at}.js`, null);
      setScripts(psi, {});
      setScripts(lighthouse, { '1.js': 290, '2.js': 310, '3.js': 280, '4.js': 300 });
      blocking(lighthouse, 0.3, 920);
    },
    first: 'different_page',
    says: /^The two sides did not load the same page.*(\d\.js|document)/i,
    never: elsewhere,
  },
  {
    name: 'asked in Europe, not in America',
    planted: 'remote: 9 requests of advertisements, 640 ms; local: a consent manager and none of them; 17 points',
    plant: ({ psi, lighthouse }) => {
      for (const name of ['gpt.js', 'pubads_impl.js', 'prebid8.js']) {
        addScript(psi, `https://securepubads.example/tag/${name}`, 110_000);
        addScriptTime(psi, `https://securepubads.example/tag/${name}`, 214);
      }
      for (const at of 'abcdef')
        addFile(psi, `https://bid-${at}.example/auction`, { resourceType: 'XHR', resourceSize: 2200 });
      blocking(psi, 0.42, 640);
      addScript(lighthouse, 'https://cmp.example/tcf/stub.js', 58_000);
      addScriptTime(lighthouse, 'https://cmp.example/tcf/stub.js', 40);
      setElements(lighthouse, 44);
    },
    first: 'different_page',
    says: pageBy('securepubads\\.example|bid-\\w\\.example'),
    never: elsewhere,
  },
  {
    name: 'known to the shop',
    planted: 'local: a session, so the document is twice as large, with two calls and a picture of the visitor',
    plant: ({ lighthouse }) => {
      setDocument(lighthouse, { resourceSize: 2950, transferSize: 1900 });
      setElements(lighthouse, 34);
      addFile(lighthouse, `${base}account/me`, { resourceType: 'Fetch', resourceSize: 1800 });
      addFile(lighthouse, `${base}basket`, { resourceType: 'Fetch', resourceSize: 3300 });
      addPicture(lighthouse, `${origin}/avatars/77.webp`, 21_000);
    },
    first: 'different_page',
    says: pageBy('account|basket|avatars|document|elements'),
    never: elsewhere,
  },
  {
    name: 'a switch for the new checkout',
    planted: 'local: 180 KB and 260 ms in place of 60 KB and 50 ms under another name; 7 points',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, `${base}checkout-v1.js`, 60_000);
      addScriptTime(psi, `${base}checkout-v1.js`, 50);
      addScript(lighthouse, `${base}checkout-v2.js`, 180_000);
      addScriptTime(lighthouse, `${base}checkout-v2.js`, 260);
      blocking(lighthouse, 0.76, 230);
    },
    first: 'different_page',
    says: pageBy('checkout-v[12]'),
    never: elsewhere,
  },
  {
    name: 'a sinkhole that answers',
    planted: 'local: the manager of tags is an empty 200, so three others are not asked for; remote 19 points lower',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, 'https://www.tags.example/gtm.js?id=GTM-B0AT', 310_000);
      addScript(lighthouse, 'https://www.tags.example/gtm.js?id=GTM-B0AT', 0, { transferSize: 120 });
      addScriptTime(psi, 'https://www.tags.example/gtm.js?id=GTM-B0AT', 330);
      for (const host of ['heat.example', 'pixel.example', 'replay.example']) {
        addScript(psi, `https://${host}/l.js`, 64_000);
        addScriptTime(psi, `https://${host}/l.js`, 140);
      }
      blocking(psi, 0.34, 720);
    },
    first: 'different_page',
    says: pageBy('tags\\.example|heat\\.example|pixel\\.example|replay\\.example'),
    never: elsewhere,
  },
  {
    name: 'no fonts from outside',
    planted: 'local: the style sheet of the fonts is cut off, four fonts are never asked for; 6 points higher here',
    plant: ({ psi, lighthouse }) => {
      const sheet = { resourceType: 'Stylesheet', resourceSize: 4100, transferSize: 1200 };
      addFile(psi, 'https://fonts.example/css2?family=Inter', sheet);
      addFile(lighthouse, 'https://fonts.example/css2?family=Inter', { ...sheet, ...refused });
      for (const at of [1, 2, 3, 4])
        addFile(psi, `https://fonts-static.example/s/inter-${at}.woff2`, {
          resourceType: 'Font',
          resourceSize: 24_000,
        });
      score(psi, { 'first-contentful-paint': 0.76, 'largest-contentful-paint': 0.83 });
    },
    first: 'different_page',
    says: pageBy('fonts\\.example|fonts-static\\.example'),
    never: elsewhere,
  },
  {
    name: 'a proxy that writes into pages',
    planted: 'local: 310 bytes and one script of the company more, 70 ms; 1 point',
    plant: ({ lighthouse }) => {
      setDocument(lighthouse, { resourceSize: 1783, transferSize: 1943 });
      addScript(lighthouse, 'https://safe.corp.example/inject.js', 48_000);
      addScriptTime(lighthouse, 'https://safe.corp.example/inject.js', 70);
      blocking(lighthouse, 0.97, 60);
    },
    first: 'different_page',
    says: pageBy('safe\\.corp\\.example|document'),
    never: elsewhere,
  },
  {
    name: 'a picture for each country',
    planted: 'remote: hero-us.jpg of 90 KB; local: hero-eu.jpg of 410; 5 points lower here, 3 runs',
    plant: ({ psi, lighthouse }) => {
      addPicture(psi, `${base}hero-us.jpg`, 90_000);
      addPicture(lighthouse, `${base}hero-eu.jpg`, 410_000);
      lcp(lighthouse, 0.78);
    },
    others: [0.76, 0.79].map(value => draft => {
      addPicture(draft, `${base}hero-eu.jpg`, 410_000);
      lcp(draft, value);
    }),
    first: 'different_page',
    says: pageBy('hero-(us|eu)\\.jpg'),
    never: elsewhere,
  },
  {
    name: 'a call that wants a login',
    planted: 'local: 401 for the list, an error in the console, 9 elements of 15',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, `${base}api/boats`, { resourceType: 'Fetch', resourceSize: 22_000 });
      addFile(lighthouse, `${base}api/boats`, { resourceType: 'Fetch', statusCode: 401, resourceSize: 40 });
      addError(lighthouse, 'Failed to load resource: the server responded with a status of 401 ()');
      setElements(lighthouse, 9);
    },
    first: 'different_page',
    says: pageBy('401'),
    never: elsewhere,
  },
  {
    name: 'an origin that is not allowed',
    planted: 'local: the policy of an interface refuses this name; an error, nothing is drawn',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, 'https://api.boats-cloud.example/v1/list', { resourceType: 'Fetch', resourceSize: 18_000 });
      addFile(lighthouse, 'https://api.boats-cloud.example/v1/list', { resourceType: 'Fetch', ...refused });
      addError(
        lighthouse,
        "Access to fetch at 'https://api.boats-cloud.example/v1/list' from origin 'http://www.boats.example' has been blocked by CORS policy",
      );
      setElements(lighthouse, 9);
    },
    first: 'different_page',
    says: pageBy('api\\.boats-cloud\\.example|CORS'),
    never: elsewhere,
  },
  {
    name: 'free shipping in one country',
    planted: 'remote: another headline, a call for the country, 1,620 bytes of document',
    plant: ({ psi }) => {
      setDocument(psi, { resourceSize: 1620 });
      setElement(psi, 'Free shipping on all US orders over $75');
      addFile(psi, 'https://geo.example/ip', { resourceType: 'Fetch', resourceSize: 400 });
    },
    first: 'different_page',
    says: pageBy('geo\\.example|Free shipping|document|element'),
    never: elsewhere,
  },
];
