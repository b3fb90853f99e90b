/** Content that varies between any two loads of one page. */
import type { NothingRow } from '../compare-plant.ts';
import {
  addError,
  addFile,
  addPicture,
  addScript,
  addScriptTime,
  auditOf,
  base,
  blocked,
  changeBoth,
  type Draft,
  discover,
  eachRequest,
  lcp,
  moveTo,
  onBoth,
  origin,
  refused,
  requestsOf,
  score,
  setDocument,
  setElement,
  setElements,
  shift,
} from '../drafts.ts';

const addWork = (draft: Draft, group: string, duration: number) =>
  auditOf(draft, 'mainthread-work-breakdown').details.items.push({ group, duration });

export const nothingAboutContent: readonly NothingRow[] = [
  {
    name: 'beacons and sessions',
    planted: 'pings, queries and numbers in paths',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, 'https://count.example/ping?1', { resourceType: 'Ping' });
      addFile(lighthouse, `${base}app.0123abcd.js?t=1`, {});
      addFile(psi, `${base}app.89efab01.js?t=2`, {});
    },
  },
  {
    name: 'tokens and times in addresses',
    planted: 'a build id, a UUID, a time in seconds, a nonce in a query',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, `${base}_next/static/Xk3f_9aQpLm2tRw/_buildManifest.js`, 9000);
      addScript(lighthouse, `${base}_next/static/bT7Yq-04ZsEw1Lo/_buildManifest.js`, 9000);
      addScript(psi, 'https://cdn.example/s/550e8400-e29b-41d4-a716-446655440000/app.js', 21_000);
      addScript(lighthouse, 'https://cdn.example/s/0d9c2f7a-11d2-4c5b-9f0e-8a1b2c3d4e5f/app.js', 21_000);
      addPicture(psi, `${base}t/1732273000/spacer.gif?nonce=k3jA`, 43);
      addPicture(lighthouse, `${base}t/1732273012/spacer.gif?nonce=Zp0x`, 43);
    },
  },
  {
    name: 'data and blob addresses',
    planted: 'pictures in the page itself, a worker of a blob',
    plant: ({ psi, lighthouse }) => {
      addPicture(psi, 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUg', 900, { transferSize: 0 });
      addPicture(lighthouse, 'data:image/png;base64,R0lGODlhAQABAIAAAAUEBA', 14_000, { transferSize: 0 });
      addScript(psi, `blob:${origin}/550e8400-e29b-41d4-a716-446655440000`, 12_000, { transferSize: 0 });
      addScript(lighthouse, `blob:${origin}/0d9c2f7a-11d2-4c5b-9f0e-8a1b2c3d4e5f`, 12_000, { transferSize: 0 });
    },
  },
  {
    name: 'a page with a greeting',
    planted: 'the document is 6 % larger, and has one element more',
    plant: ({ psi }) => {
      setDocument(psi, { resourceSize: 1561 });
      setElements(psi, 16);
    },
  },
  {
    name: 'the worker of a page without network',
    planted: 'local: its service worker asks for four files of the page once more, and for sw.js',
    plant: ({ lighthouse }) => {
      addScript(lighthouse, `${origin}/sw.js`, 3000, { sessionTargetType: 'worker' });
      for (const name of ['1.js', '2.js', '3.js', '4.js'])
        addFile(lighthouse, `${base}${name}`, {
          resourceType: 'Fetch',
          resourceSize: 30_074,
          transferSize: 0,
          sessionTargetType: 'worker',
        });
      addScript(lighthouse, `${base}1.js`, 30_074, { sessionTargetType: 'worker', transferSize: 0 });
    },
    never: /did not load|no known cause|explains?|costs?|CPU throttling/i,
  },
  {
    name: 'questions before calls',
    planted: 'remote: a preflight for an API; local it was remembered',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse])
        addFile(draft, 'https://api.example/v1/stock', { resourceType: 'Fetch', resourceSize: 2000 });
      addFile(psi, 'https://api.example/v1/stock', { resourceType: 'Preflight', resourceSize: 0, statusCode: 204 });
    },
  },
  {
    name: 'a third party that fails for both',
    planted: '502 on one side, 503 on the other, and both errors in the console',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, 'https://chat.example/loader.js', 120, { statusCode: 503 });
      addScript(lighthouse, 'https://chat.example/loader.js', 150, { statusCode: 502 });
      addError(psi, 'Failed to load resource: the server responded with a status of 503 ()');
      addError(lighthouse, 'Failed to load resource: the server responded with a status of 502 ()');
    },
  },
  {
    name: 'an error with a time in it',
    planted: 'both: the same error, at another time, from a script with another token',
    plant: ({ psi, lighthouse }) => {
      addError(psi, 'Error: cart is empty at 2026-11-22T09:34:55.102Z (app.js?t=1732267:12:9)');
      addError(lighthouse, 'Error: cart is empty at 2026-11-22T09:34:57.880Z (app.js?t=1732269:12:9)');
    },
  },
  {
    name: 'a beacon that was cut off',
    planted: 'local: a ping and a call to count visits that the end of the load cut off',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, 'https://count.example/collect?v=2', { resourceType: 'Ping', statusCode: 204, resourceSize: 0 });
      addFile(lighthouse, 'https://count.example/collect?v=2', { resourceType: 'Ping', ...refused, finished: false });
    },
  },
  {
    name: 'a film of which more was buffered',
    planted: 'both: 206 for the same film, 1.3 MB of it on one side and 2.4 MB on the other',
    plant: ({ psi, lighthouse }) => {
      const film = { resourceType: 'Media', statusCode: 206 };
      addFile(psi, `${base}film.mp4`, { ...film, resourceSize: 1_300_000, transferSize: 1_300_400 });
      addFile(lighthouse, `${base}film.mp4`, { ...film, resourceSize: 2_400_000, transferSize: 2_400_400 });
    },
    never: /did not load|no known cause|explains?|costs?|CPU throttling/i,
  },
  {
    name: 'a pixel of another size',
    planted: 'both: a GIF of 43 bytes on one side and 118 on the other',
    plant: ({ psi, lighthouse }) => {
      addPicture(psi, 'https://pixel.example/p.gif', 43);
      addPicture(lighthouse, 'https://pixel.example/p.gif', 118);
    },
  },
  {
    name: 'the address with and without a slash',
    planted: 'remote: ends at /same-many, where this side ends at /same-many/',
    plant: ({ psi }) => {
      for (const key of ['finalDisplayedUrl', 'mainDocumentUrl', 'finalUrl'] as const) psi[key] = base.slice(0, -1);
      setDocument(psi, { url: base.slice(0, -1) });
    },
    never: /did not load|no known cause|explains?|costs?|CPU throttling/i,
  },
  {
    name: 'a session in the address',
    planted: 'both sides end at an address with an id of their own',
    plant: ({ psi, lighthouse }) => {
      for (const [draft, id] of [
        [psi, '9fA2'],
        [lighthouse, 'Kq71'],
      ] as const)
        for (const key of ['finalDisplayedUrl', 'mainDocumentUrl', 'finalUrl'] as const) {
          draft[key] = `${base}?sid=${id}`;
          setDocument(draft, { url: `${base}?sid=${id}` });
        }
    },
  },
  {
    name: 'two elements of the same size',
    planted: 'the headline is largest on one side, the text on the other; every byte is the same',
    plant: ({ psi }) => setElement(psi, 'Boats for every water'),
    first: [null, 'different_page'],
    says: /^Both sides score 99/,
    never: /did not load|no known cause|explains?|costs?|CPU throttling/i,
  },
  {
    name: 'how many people look at it',
    planted: 'the largest element says 1,204 on one side and 1,198 on the other',
    plant: ({ psi, lighthouse }) => {
      setElement(psi, '1,204 people are looking at this boat');
      setElement(lighthouse, '1,198 people are looking at this boat');
    },
  },
  {
    name: 'one content host under two names',
    planted: 'six pictures come from img1.cdn.example on one side and from img3 on the other',
    plant: ({ psi, lighthouse }) => {
      for (const [draft, host] of [
        [psi, 'img1'],
        [lighthouse, 'img3'],
      ] as const)
        eachRequest(draft, item => ({
          ...item,
          url: String(item.url).replace(/^http:.*\/(\d\.png)$/, `http://${host}.cdn.example/$1`),
        }));
    },
  },
  {
    name: 'HTTP/2 and HTTP/3',
    planted: 'a race decides which',
    plant: ({ psi, lighthouse }) => {
      eachRequest(psi, item => ({ ...item, protocol: 'h3' }));
      eachRequest(lighthouse, item => ({ ...item, protocol: 'h2' }));
      lcp(psi, 0.88);
    },
  },
  {
    name: 'redirects of a frame',
    planted: 'remote: a frame of advertisements came after two redirects',
    plant: ({ psi, lighthouse }) => {
      const frame = { resourceType: 'Document', resourceSize: 9000 };
      for (const draft of [psi, lighthouse]) addFile(draft, 'https://ads.example/frame', frame);
      for (const at of [1, 2])
        addFile(psi, `https://ads.example/to?${at}`, { ...frame, statusCode: 302, resourceSize: 0 });
    },
  },
  {
    name: 'answers made for each visitor',
    planted: 'three calls with other numbers of offers: 2 to 9 KB, and a bid of 40 KB on one side',
    plant: ({ psi, lighthouse }) => {
      for (const [at, name] of ['offers', 'reviews', 'news'].entries()) {
        addFile(psi, `${base}api/${name}?r=${at}`, { resourceType: 'Fetch', resourceSize: 2000 + 1000 * at });
        addFile(lighthouse, `${base}api/${name}?r=${9 - at}`, { resourceType: 'Fetch', resourceSize: 9000 - 900 * at });
      }
    },
  },
  {
    name: 'a comment with the time it was made',
    planted: 'the document has 3 bytes more',
    plant: ({ psi }) => setDocument(psi, { resourceSize: 1476 }),
  },
  {
    name: 'a script of the page under another address each day',
    planted: 'both: a bundle with a hash in its folder, the same size and work',
    plant: ({ psi, lighthouse }) => {
      addScript(psi, 'https://static.example/b/20261121-77b0e1d2/main.js', 120_000);
      addScript(lighthouse, 'https://static.example/b/20261122-3f2a91c0/main.js', 121_500);
    },
  },
  {
    name: 'errors with numbers in them',
    planted: 'both: the same warning of a library with another count',
    plant: ({ psi, lighthouse }) => {
      const { items } = auditOf(psi, 'errors-in-console').details;
      items.push({ description: 'Slow answer: 412 ms (limit 300)' });
      auditOf(lighthouse, 'errors-in-console').details.items.push({ description: 'Slow answer: 388 ms (limit 300)' });
    },
  },
  {
    name: 'a page for each visitor',
    planted: 'the document is 7 % larger, 17 elements in place of 15, one picture of 9 KB more',
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
    name: 'a socket with a token',
    planted: 'both: a WebSocket under an address of its own',
    plant: onBoth((draft, at) => {
      const socket = { resourceType: 'WebSocket', statusCode: 101, resourceSize: 0 };
      addFile(draft, `ws://www.boats.example/live?token=${['Zq81', 'mN02'][at]}`, socket);
    }),
  },
  {
    name: 'two kinds of compression',
    planted: 'remote: everything but pictures took an eighth less of the network',
    plant: ({ psi }) =>
      eachRequest(psi, item =>
        item.resourceType === 'Image' ? item : { ...item, transferSize: Math.round(Number(item.transferSize) * 0.88) },
      ),
  },
  {
    name: 'consent in an address',
    planted: 'both: one script with gdpr=0 or gdpr=1 and a string',
    plant: onBoth((draft, at) =>
      addScript(draft, `https://tag.example/t.js?gdpr=${at}&gdpr_consent=${['', 'CPXxRfAPXxRfAAfKABENB'][at]}`, 30_000),
    ),
  },
  {
    name: 'folders that carry a build',
    planted: 'both: the same script in a folder with another number',
    plant: onBoth((draft, at) => addScript(draft, `${origin}/v/${['1732290112', '1732290981'][at]}/app.js`, 66_000)),
  },
  {
    name: 'a word home',
    planted: 'remote: an empty 204 of a counter that sends by fetch',
    plant: ({ psi }) =>
      addFile(psi, `${origin}/rum/collect`, {
        resourceType: 'Fetch',
        statusCode: 204,
        resourceSize: 0,
        transferSize: 90,
      }),
  },
  {
    name: 'the icon of the page',
    planted: 'local: asked for its icon of 4 KB and its manifest, remote not',
    plant: ({ lighthouse }) => {
      addFile(lighthouse, `${origin}/favicon.ico`, { resourceType: 'Other', resourceSize: 4286 });
      addFile(lighthouse, `${origin}/site.webmanifest`, { resourceType: 'Manifest', resourceSize: 420 });
    },
  },
  {
    name: 'a page fetched ahead',
    planted: 'remote: in an idle moment, the next page of 24 KB',
    plant: ({ psi }) => addFile(psi, `${origin}/next/`, { resourceType: 'Prefetch', resourceSize: 24_000 }),
  },
  {
    name: 'the speed index of one load',
    planted: '4 points',
    plant: ({ lighthouse }) => score(lighthouse, { 'speed-index': 0.6 }),
  },
  {
    name: 'a shift that nearly shows',
    planted: 'local: 1 point',
    plant: ({ lighthouse }) => score(lighthouse, { 'cumulative-layout-shift': 0.97 }),
  },
  {
    name: 'a countdown',
    planted: 'both: the largest element counts down',
    plant: onBoth((draft, at) => setElement(draft, `The sale ends in 02:1${3 + at}:${44 - 9 * at}`)),
  },
  {
    name: 'nonces',
    planted: 'the document has 8 bytes more',
    plant: ({ psi }) => setDocument(psi, { resourceSize: 1481, transferSize: 1641 }),
  },
  {
    name: 'pictures packed anew',
    planted: 'remote: six pictures 1 to 3 % larger',
    plant: ({ psi }) =>
      eachRequest(psi, item =>
        item.resourceType === 'Image' ? { ...item, resourceSize: Math.round(Number(item.resourceSize) * 1.02) } : item,
      ),
  },
  {
    name: 'a frame on a name for each load',
    planted: 'both: a safe frame on a random name',
    plant: onBoth((draft, at) =>
      addFile(
        draft,
        `https://${['a1b2c3d4e5f60718', '90ef81c2ab3377d1'][at]}.safeframe.example/1-0-40/container.html`,
        { resourceType: 'Document', resourceSize: 6000 },
      ),
    ),
  },
  {
    name: 'an error with the number of a request',
    planted: 'both: the same failure',
    plant: onBoth((draft, at) =>
      addError(draft, `Uncaught (in promise) Error: request ${['9f3c01aa', '11be7720'][at]} was not found`),
    ),
  },
  {
    name: 'a thumbnail that was not asked for',
    planted: 'local: a picture of 3 KB more, below the screen',
    plant: ({ lighthouse }) => {
      addPicture(lighthouse, `${base}thumbs/last.webp`, 3000);
    },
  },
  {
    name: 'a stream of events',
    planted: 'local: a stream of 900 bytes more was open when the load ended',
    plant: ({ lighthouse }) => addFile(lighthouse, `${base}events`, { resourceType: 'EventSource', resourceSize: 900 }),
  },
  {
    name: 'refused in two ways',
    planted: 'both: a third party refuses, with 403 and with 451',
    plant: onBoth((draft, at) =>
      addFile(draft, 'https://widget.example/w.js', { statusCode: [403, 451][at], resourceSize: 300 }),
    ),
  },
  {
    name: 'another price',
    planted: 'both: the largest element has the price of the hour',
    plant: onBoth((draft, at) => setElement(draft, `Dinghy “Lotte”, now € ${['1.299,00', '1.349,50'][at]}`)),
  },
  {
    name: 'the rubbish of a script',
    planted: 'local: 260 ms of garbageCollection; no point',
    plant: ({ lighthouse }) => addWork(lighthouse, 'garbageCollection', 260),
  },
  {
    name: 'to itself on both sides',
    planted: 'both: a 302 to the same address sets a cookie',
    plant: onBoth(draft => {
      const hop = { url: base, statusCode: 302, resourceType: 'Document', resourceSize: 0, transferSize: 400 };
      auditOf(draft, 'network-requests').details.items = [hop, ...requestsOf(draft)];
    }),
  },
  {
    name: 'another place in the page',
    planted: 'local: the address ends in #reviews',
    plant: ({ lighthouse }) => moveTo(lighthouse, `${base}#reviews`),
  },
  {
    name: 'an advertisement that takes turns',
    planted: 'both: a place for advertisements, with a boot of 41 KB on one side and a sofa of 36 KB on the other',
    plant: onBoth((draft, at) => {
      const frame = { resourceType: 'Document', resourceSize: [4100, 4420][at], transferSize: [1700, 1790][at] };
      addFile(draft, `https://ads.example/frame?slot=1&r=${['81x', '7qf'][at]}`, frame);
      const picture = `https://ads.example/creatives/${['2231/boot', '8841/sofa'][at]}.jpg`;
      addPicture(draft, picture, [41_000, 36_000][at] ?? 0);
    }),
  },
  {
    name: 'a build that changes nothing',
    planted: 'both: the same bundle and styles under names with other hashes, 0.2 % apart',
    plant: onBoth((draft, at) => {
      addScript(draft, `${base}assets/main-${['Bq3x9LkA', 'D0pZ71yu'][at]}.js`, [84_120, 84_310][at] ?? 0);
      const styles = { resourceType: 'Stylesheet', resourceSize: [12_040, 12_062][at] };
      addFile(draft, `${base}assets/index-${['CwT2h_8s', 'Ax7-Lm0P'][at]}.css`, styles);
    }),
  },
  {
    name: 'requests in another order',
    planted: 'remote: the same requests, the other way round behind the document',
    plant: ({ psi }) => {
      const [document, ...files] = requestsOf(psi);
      auditOf(psi, 'network-requests').details.items = [...(document ? [document] : []), ...files.reverse()];
    },
  },
  {
    name: 'some minutes ago',
    planted: 'both: the largest element says how old the page is',
    plant: onBoth((draft, at) => setElement(draft, `Water levels, last updated ${['3', '4'][at]} minutes ago`)),
  },
  {
    name: 'a report to the edge',
    planted: 'local: what an edge and a counter are told of the load came before its end; no answer has a byte',
    plant: ({ lighthouse }) => {
      const empty = { statusCode: 204, resourceSize: 0, transferSize: 190 };
      addFile(lighthouse, `${origin}/cdn-cgi/rum?`, { ...empty, resourceType: 'XHR' });
      addFile(lighthouse, 'https://collect.example/g/collect?v=2&tid=G-77', { ...empty, resourceType: 'Fetch' });
      addFile(lighthouse, 'https://nel.example/report/v4?s=Zk2', { ...empty, resourceType: 'Ping' });
    },
  },
  {
    name: 'the manifest of an app',
    planted: 'remote: its browser asked for site.webmanifest and the icon in it',
    plant: ({ psi }) => {
      addFile(psi, `${origin}/site.webmanifest`, { resourceType: 'Manifest', resourceSize: 480, transferSize: 620 });
      addFile(psi, `${origin}/icons/icon-192.png`, { resourceType: 'Other', resourceSize: 9100, transferSize: 9250 });
    },
  },
  {
    name: 'names of a build in all forms',
    planted: 'both: a chunk of esbuild, one of Angular and a style sheet of Vite, each with another hash',
    plant: onBoth((draft, at) => {
      addScript(draft, `${base}chunk-${['3PQK4TZE', 'YB7XKDPM'][at]}.js`, 45_000);
      addScript(draft, `${base}main.${['XJ5KQ2WL', 'QMZPTWAB'][at]}.js`, 91_000);
      const styles = { resourceType: 'Stylesheet', resourceSize: 30_000, transferSize: 8000 };
      addFile(draft, `${base}assets/app-${['x_9fKq2d', 'Tz04mmvU'][at]}.css`, styles);
    }),
  },
  {
    name: 'class names of a build',
    planted: 'both: the largest element is the same text under another class name',
    plant: onBoth((draft, at) => {
      setElement(draft, 'Boats for every water');
      const element = draft.audits['lcp-breakdown-insight']?.details.items.at(-1) ?? {};
      Object.assign(element, { selector: `main.css-${['1q2w3e', '9z8y7x'][at]} > h1.sc-${['bdVaJa', 'htpNat'][at]}` });
    }),
  },
  {
    name: 'ten beacons',
    planted: 'local: ten pings and pixels more, of a page with 14 requests',
    plant: ({ lighthouse }) => {
      for (let at = 0; at < 6; at++)
        addFile(lighthouse, `https://rum.example/v1/${'abcdef'[at]}`, {
          resourceType: 'Ping',
          statusCode: 204,
          resourceSize: 0,
        });
      for (let at = 0; at < 4; at++) addPicture(lighthouse, `https://px.example/${'abcd'[at]}.gif`, 43);
    },
  },
  {
    name: 'not modified',
    planted: 'remote: the document was validated again, so 304 and 180 bytes of the network',
    plant: ({ psi }) => setDocument(psi, { statusCode: 304, transferSize: 180 }),
  },
  {
    name: 'an advertisement of another house',
    planted: 'both: a creative and a script that watches it, of other hosts and of about the same size',
    plant: onBoth((draft, at) => {
      const [pictures, watch] = [
        ['https://s0.house-a.example/c/882/red.jpg', 'https://seen-a.example/v.js'],
        ['https://media.house-b.example/x/blue.jpg', 'https://watch-b.example/m.js'],
      ][at] ?? ['', ''];
      addPicture(draft, pictures ?? '', [44_000, 38_000][at] ?? 0);
      addScript(draft, watch ?? '', [15_000, 19_000][at] ?? 0);
      addScriptTime(draft, watch ?? '', [12, 20][at] ?? 0);
    }),
  },
  {
    name: 'an id for each load in a path',
    planted: 'both: a script of 140 KB and 80 ms under a UUID',
    plant: onBoth((draft, at) => {
      const id = ['550e8400-e29b-41d4-a716-446655440000', '0d9c2f7a-11d2-4c5b-9f0e-8a1b2c3d4e5f'][at];
      addScript(draft, `${origin}/embed/${id}/player.js`, 140_000);
      addScriptTime(draft, `${origin}/embed/${id}/player.js`, 80);
    }),
  },
  {
    name: 'hashes of six signs',
    planted: 'both: a bundle of 95 KB and styles under six hexadecimal signs',
    plant: onBoth((draft, at) => {
      addScript(draft, `${base}js/main.${['a1b2c3', '9f04de'][at]}.js`, 95_000);
      const styles = { resourceType: 'Stylesheet', resourceSize: 22_000, transferSize: 5000 };
      addFile(draft, `${base}css/main.${['77e0aa', 'c4d5f1'][at]}.css`, styles);
    }),
  },
  {
    name: 'a cookie in every answer',
    planted: 'local: 1.2 KB of headers more with each file; nothing else',
    plant: ({ lighthouse }) =>
      eachRequest(lighthouse, item => ({ ...item, transferSize: Number(item.transferSize) + 1200 })),
  },
  {
    name: 'a page about baking',
    planted: 'the largest element is “Chocolate chip cookies” or a paragraph, by the load',
    plant: ({ psi, lighthouse }) => {
      setElement(psi, 'Chocolate chip cookies, the way my mother made them');
      setElement(lighthouse, 'Preheat the oven, and take the butter out of the fridge');
    },
    first: [null, 'different_page'],
    never: /consent|did not load|no known cause/,
    says: /both sides score 99/i,
  },
  {
    name: 'little shifts',
    planted: 'CLS 0.02 and 0.05',
    plant: ({ psi, lighthouse }) => {
      shift(psi, [{ selector: 'p', label: 'Rowing boats', score: 0.02 }]);
      shift(lighthouse, [{ selector: 'p', label: 'Rowing boats', score: 0.05 }]);
    },
  },
  {
    name: 'another count of animations',
    planted: 'two animations there, three here',
    plant: ({ psi, lighthouse }) => {
      const animated = (count: number) =>
        Array.from({ length: count }, (_, at) => ({ node: { type: 'node', selector: `div.a${at}`, nodeLabel: '' } }));
      psi.audits['non-composited-animations'] = { score: 0, details: { items: animated(2), debugData: {} } };
      lighthouse.audits['non-composited-animations'] = { score: 0, details: { items: animated(3), debugData: {} } };
    },
  },
  {
    name: 'refused on both sides',
    planted: 'a policy refuses the same two scripts',
    plant: drafts =>
      changeBoth(drafts, draft => {
        for (const name of ['2.js', '3.js']) blocked(draft, name);
      }),
  },
  {
    name: 'a checklist that wavers',
    planted: 'the largest picture is found by the preload scanner on one side only; the scores are alike',
    plant: drafts => {
      changeBoth(drafts, draft => setElement(draft, 'A boat at sea'));
      discover(drafts.psi, {});
      discover(drafts.lighthouse, { requestDiscoverable: false });
    },
  },
  {
    name: 'Brotli and gzip',
    planted: 'texts of 12 % less over the network on the remote side',
    plant: ({ psi }) =>
      eachRequest(psi, item => ({ ...item, transferSize: Math.round(0.88 * Number(item.transferSize)) })),
  },
];
