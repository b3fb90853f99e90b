/** No difference of the page, the settings or the machines, in further forms. */
import { addFile, auditOf, base, lcp, type PurePlant, setDocument, setElement, tbt } from '../pure-plants.ts';
import { addPicture, addScript, alike, blames, blocking, eachRequest, setScripts } from '../second-set/drafts.ts';

const noDifference: readonly (Pick<PurePlant, 'name' | 'planted' | 'plant'> & Partial<PurePlant>)[] = [
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
    name: 'a pixel on one side',
    planted: 'remote: a GIF of 43 bytes of another host, 4 points of blocking time apart',
    plant: ({ psi }) => {
      addPicture(psi, 'https://px.example/i.gif?r=1', 43);
      blocking(psi, 0.87, 200);
    },
  },
  {
    name: 'a comment with the time it was made',
    planted: 'the document has 3 bytes more',
    plant: ({ psi }) => setDocument(psi, { resourceSize: 1476 }),
  },
  {
    name: 'an index that is not told',
    planted: 'remote: no benchmark index; 3 points of blocking time apart',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 0;
      blocking(lighthouse, 0.9, 190);
    },
  },
  {
    name: 'the same work before and behind the first paint',
    planted: 'both embedded: the same scripts, 8 points of blocking time apart',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) setScripts(draft, { '1.js': 60, '2.js': 95, '3.js': 100 });
      blocking(lighthouse, 0.73, 250);
    },
    analyser: { kind: 'embedded', host: '127.0.0.1:8000' },
    first: 'run_noise',
    says: /8 points lower.*run-to-run noise/i,
    never: /did not load|no known cause|explains?|costs?|CPU throttling|machines/i,
  },
  {
    name: 'an answer of 45 seconds ago',
    planted: 'remote: from the cache',
    plant: () => {},
    cached: { age: 45 },
    first: [null, 'cached_answer'],
    never: /old|did not load|no known cause/,
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
    name: 'two of five runs as the remote one',
    planted: 'local 88, 89, 95, 96, 97; remote 88, settings alike',
    plant: ({ psi, lighthouse }) => {
      tbt(psi, 0.62);
      tbt(lighthouse, 0.86);
    },
    others: [0.62, 0.66, 0.89, 0.93].map(value => draft => tbt(draft, value)),
    first: [null, 'run_noise'],
    says: /is inside the range of the 5 local runs/i,
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
];

export const otherNothings: readonly PurePlant[] = noDifference.map(plant => ({
  first: [null, 'run_noise'],
  says: alike,
  never: new RegExp(`may have loaded|${blames.source}`, 'i'),
  ...plant,
  planted: `nothing: ${plant.planted}`,
}));
