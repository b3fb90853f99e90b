/** Machines, settings and times that vary between any two loads of one page. */
import type { NothingRow, PurePlant } from '../compare-plant.ts';
import {
  addFile,
  addPicture,
  addScript,
  addScriptTime,
  alike,
  auditOf,
  base,
  blocking,
  custom,
  type Draft,
  eachRequest,
  googleApi,
  lcp,
  mainThread,
  managerTag,
  measure,
  nameless,
  onBoth,
  origin,
  otherPicture,
  quiet,
  runScripts,
  same,
  score,
  setDocument,
  setElement,
  setElements,
  setIndices,
  setPaints,
  setResponse,
  setScripts,
  setThrottling,
  shift,
  tbt,
  twoMachines,
  unsized,
  usualScripts,
  usualTimes,
} from '../drafts.ts';

const slides = ['Rowing boats', 'Sailing boats', 'Paddles', 'Ropes and sails'];

const advertiser = (at: number, bytes: number) => (draft: Parameters<typeof addScript>[0]) => {
  addScript(draft, `https://bidder${'abcdefg'[at]}.example/bid.js`, bytes);
  addPicture(draft, `https://pictures.example/${['car', 'shoe', 'phone', 'sofa', 'watch'][at]}.jpg`, bytes / 2);
};

const setLayoutWork = (draft: Draft, duration: number) => {
  auditOf(draft, 'mainthread-work-breakdown').details.items = [
    { group: 'styleLayout', duration },
    { group: 'scriptEvaluation', duration: 190 },
  ];
};

const withVariant = (draft: Draft) => {
  addPicture(draft, `${base}heroes/b.jpg`, 300_000);
  lcp(draft, 0.42);
};

export const nothingAboutConditions: readonly NothingRow[] = [
  ...(
    [
      ['a machine of 2.5 times the index', custom, false, null],
      ['this machine under its own address', { kind: 'custom', host: '192.0.2.1:8000' }, true, null],
      ['this machine, which says so', custom, false, '0123456789abcdef'],
      ['this machine, embedded', { kind: 'embedded', host: '127.0.0.1:8000' }, false, null],
    ] as const
  ).map(
    ([name, analyser, isOwnAddress, boot_id]): PurePlant => ({
      name,
      planted: `benchmark ${name.startsWith('a ') ? '2.5' : '5'} times`,
      plant: ({ psi, lighthouse }) => {
        psi.environment.benchmarkIndex = name.startsWith('a ') ? 1000 : 500;
        lighthouse.environment.benchmarkIndex = 2500;
      },
      analyser,
      isOwnAddress,
      environment: { psi: { boot_id }, lighthouse: { boot_id } },
      first: null,
      says: same,
      never: quiet,
    }),
  ),
  {
    name: 'another picture on every load',
    planted: 'local runs have other pictures among themselves, too',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, `${base}heroes/one.png`, { resourceType: 'Image', resourceSize: 90_000 });
      addFile(lighthouse, `${base}heroes/two.png`, { resourceType: 'Image', resourceSize: 90_000 });
    },
    others: [
      draft => addFile(draft, `${base}heroes/three.png`, { resourceType: 'Image', resourceSize: 90_000 }),
      draft => addFile(draft, `${base}heroes/four.png`, { resourceType: 'Image', resourceSize: 90_000 }),
    ],
    first: null,
    says: /inside|within (normal|the spread)|Both sides/,
  },
  {
    name: 'a few points',
    planted: 'blocking time that differs by 4 points',
    plant: ({ lighthouse }) => tbt(lighthouse, 0.87),
    first: 'run_noise',
    says: same,
  },
  {
    name: 'costs that cancel out',
    planted: 'a re-audit gives 24 points, the scores are the same',
    plant: ({ psi, lighthouse }) => {
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      tbt(lighthouse, 0.2);
      tbt(psi, 0.2);
    },
    again: [0.2, 1],
    first: 'cpu',
    says: same,
  },
  {
    name: 'advertisements that differ on every load',
    planted: 'three local runs and the remote one each have another bidder and another picture',
    plant: ({ psi, lighthouse }) => {
      advertiser(0, 90_000)(psi);
      advertiser(1, 60_000)(lighthouse);
    },
    others: [advertiser(2, 130_000), advertiser(3, 45_000)],
  },
  {
    name: 'slides that take turns',
    planted: 'the largest element is another one in each of three local runs, and on the remote side',
    plant: ({ psi, lighthouse }) => {
      setElement(psi, slides[0] ?? '');
      otherPicture(psi);
      setElement(lighthouse, slides[1] ?? '');
    },
    others: [2, 3].map(at => draft => {
      setElement(draft, slides[at] ?? '');
      if (at === 3) otherPicture(draft);
    }),
  },
  {
    name: 'a slow server for both',
    planted: 'both: 1500 and 1380 ms',
    plant: ({ psi, lighthouse }) => {
      setResponse(psi, 1500);
      setResponse(lighthouse, 1380);
      lcp(psi, 0.7);
      lcp(lighthouse, 0.74);
    },
    simulated: { server: { 'largest-contentful-paint': 0.7 } },
  },
  {
    name: 'an index of 1.9 times',
    planted: 'remote 2100, local 1100; another host, 3 points',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 2100;
      lighthouse.environment.benchmarkIndex = 1100;
      blocking(lighthouse, 0.9, 190);
    },
    simulated: { machine: { 'total-blocking-time': 1 } },
  },
  {
    name: 'an index of 2.85 times',
    planted: 'remote 700, local 1995; another host, 4 points',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 700;
      lighthouse.environment.benchmarkIndex = 1995;
      blocking(psi, 0.87, 200);
    },
    simulated: { machine: { 'total-blocking-time': 0.87 } },
  },
  {
    name: 'two containers of one machine',
    planted: 'the same id and the same limit; benchmark 600 against 760',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 600;
      lighthouse.environment.benchmarkIndex = 760;
      blocking(psi, 0.93, 160);
    },
    environment: {
      psi: { boot_id: 'fedcba9876543210', processors: 0.5 },
      lighthouse: { boot_id: 'fedcba9876543210', processors: 0.5 },
    },
    simulated: { machine: { 'total-blocking-time': 0.93 } },
  },
  {
    name: 'a desktop page, twice',
    planted: 'both desktop, 2 points of blocking time apart',
    strategy: 'desktop',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) {
        draft.configSettings.formFactor = 'desktop';
        setThrottling(draft, { rttMs: 40, throughputKbps: 10_240, cpuSlowdownMultiplier: 1 });
      }
      blocking(psi, 0.93, 160);
    },
  },
  {
    name: 'both throttled while they loaded',
    planted: 'method devtools on both sides, 3 points of LCP apart',
    plant: ({ psi, lighthouse }) => {
      for (const draft of [psi, lighthouse]) setThrottling(draft, { cpuSlowdownMultiplier: 4 }, 'devtools');
      lcp(lighthouse, 0.86);
    },
  },
  {
    name: 'a network that is a little faster',
    planted: 'remote: 1700 in place of 1638 kbit/s, which costs nothing',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, { throughputKbps: 1700 });
      setThrottling(lighthouse, {});
    },
    simulated: {},
    first: [null, 'throttling'],
  },
  {
    name: 'one run of five is bad',
    planted: 'local 60, 97, 98, 98, 99; remote 99',
    plant: ({ lighthouse }) => lcp(lighthouse, 0.94),
    others: [
      draft => lcp(draft, 0.9),
      draft => lcp(draft, 0.94),
      draft => lcp(draft, 0.98),
      draft => score(draft, { 'total-blocking-time': 0.1, 'largest-contentful-paint': 0.5 }),
    ],
  },
  {
    name: 'just outside the local runs',
    planted: 'local 90 to 94, remote 96',
    plant: ({ psi, lighthouse }) => {
      tbt(psi, 0.9);
      tbt(lighthouse, 0.76);
    },
    others: [0.7, 0.83].map(value => draft => tbt(draft, value)),
  },
  {
    name: 'settings that cost less than the runs lie apart',
    planted: 'local 70, 76, 93, remote 93; 4 against 1.2 times would be 12 points',
    plant: ({ psi, lighthouse }) => {
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      tbt(psi, 0.77);
      tbt(lighthouse, 0.23);
    },
    others: [0.03, 0.8].map(value => draft => tbt(draft, value)),
    simulated: { cpu: { 'total-blocking-time': 0.63 } },
    first: ['run_noise', 'cpu'],
    says: /17 points lower.*is inside the range of the 3 local runs \(70 to 93\)/i,
    never: /CPU throttling|no known cause|did not load/i,
  },
  {
    name: 'modes of the simulation within the local runs',
    planted: 'local 99, 84, 98, remote 85: LCP of 1.8 or 3.8 s',
    plant: ({ psi, lighthouse }) => {
      for (const [draft, value, ms] of [
        [psi, 0.4, 3800],
        [lighthouse, 0.94, 1900],
      ] as const) {
        setPaints(draft, 1100, ms);
        lcp(draft, value);
      }
    },
    others: [0.36, 0.98].map(value => draft => lcp(draft, value)),
    first: ['run_noise', null],
    says: /inside the range of the 3 local runs/i,
    never: /no known cause|did not load|simulation of/i,
  },
  {
    name: 'a file that only the shown run has',
    planted: 'local: a survey of 90 KB came in one of three runs; the remote side has none',
    plant: ({ lighthouse }) => addScript(lighthouse, 'https://survey.example/ask.js', 90_000),
    others: [() => {}, () => {}],
  },
  {
    name: 'an answer of seven hours ago',
    planted: 'remote: from the cache, and the same',
    plant: () => {},
    cached: { age: 7 * 3600 },
    first: [null, 'cached_answer'],
    says: /^Both sides score 99.*result on psi\.example is 7 hours old/,
  },
  {
    name: 'a slow moment that costs nothing',
    planted: 'local: benchmark 60 % of what is usual',
    plant: ({ lighthouse }) => {
      lighthouse.environment.benchmarkIndex = 900;
    },
    environment: { lighthouse: { benchmark_median: 1500, concurrent_audits: 0 } },
    first: [null, 'disturbed_run'],
    never: /no known cause|did not load|explains?|costs?|machines|CPU throttling/i,
  },
  {
    name: 'scripts that are slower by chance',
    planted: 'local: one of three scripts 48 ms in place of 30, another 61 in place of 45; 2 points',
    plant: ({ psi, lighthouse }) => {
      setScripts(psi, { '1.js': 30, '2.js': 45, '3.js': 60 });
      setScripts(lighthouse, { '1.js': 48, '2.js': 61, '3.js': 58 });
      blocking(lighthouse, 0.93, 160);
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
    name: 'an answer of three days ago, and the usual noise',
    planted: '3 points of blocking time, and the page is the same',
    plant: ({ lighthouse }) => blocking(lighthouse, 0.9, 180),
    cached: { age: 3 * 86_400 },
    first: [null, 'run_noise', 'cached_answer'],
    says: /3 points lower.*within normal run-to-run variation.*result on psi\.example is 3 days old/,
    never: /did not load|Possible cause|no known cause/,
  },
  {
    name: 'another headline on every load',
    planted: 'three local runs and the remote one each have another headline, the scores 3 points apart',
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
  {
    name: 'one run of five far below',
    planted: 'local 69, 97, 98, 99 and 99; remote 97',
    plant: ({ psi }) => lcp(psi, 0.88),
    others: [draft => blocking(draft, 0, 2600), draft => lcp(draft, 0.9), draft => lcp(draft, 0.94), () => {}],
  },
  {
    name: 'a machine one street away',
    planted: 'remote: 12 ms of round trip, 2 points of LCP',
    plant: ({ psi }) => {
      auditOf(psi, 'network-rtt').numericValue = 12;
      for (const item of auditOf(psi, 'network-rtt').details.items) item.rtt = 12;
      lcp(psi, 0.9);
    },
    simulated: { server: { 'largest-contentful-paint': 0.97 } },
  },
  {
    name: 'a server that was busier',
    planted: 'local: 180 ms in place of 37, 1 point',
    plant: ({ lighthouse }) => {
      setResponse(lighthouse, 180);
      lcp(lighthouse, 0.94);
    },
    simulated: { server: { 'largest-contentful-paint': 0.95 } },
  },
  {
    name: 'two indices of one machine, five points',
    planted: 'embedded: 900 and 1,500; blocking time',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 1500;
      lighthouse.environment.benchmarkIndex = 900;
      setScripts(psi, { '1.js': 60, '2.js': 71, '3.js': 58 });
      setScripts(lighthouse, { '1.js': 75, '2.js': 84, '3.js': 79 });
      blocking(lighthouse, 0.84, 170);
    },
    analyser: { kind: 'embedded', host: '127.0.0.1:8000' },
    first: [null, 'run_noise', 'disturbed_run'],
    says: /within (normal|the spread)|Possible cause|run-to-run noise/i,
    never: /did not load|no known cause|explains?|costs?|CPU throttling|machines|simulation of/i,
  },
  {
    name: 'a patch of the browser',
    planted: '153.0.8010 and 153.0.8033; 2 points',
    plant: ({ psi }) => {
      psi.environment.hostUserAgent = psi.environment.hostUserAgent.replace('8010.0', '8033.2');
      tbt(psi, 0.93);
    },
  },
  {
    name: 'Google, a point',
    planted: 'remote: Google, 98; the multipliers are alike',
    plant: ({ psi, lighthouse }) => {
      setThrottling(lighthouse, {});
      lcp(psi, 0.94);
    },
    analyser: { kind: 'google', host: 'www.googleapis.com' },
  },
  {
    name: 'three points on a desktop',
    planted: 'both desktop, LCP',
    strategy: 'desktop',
    plant: onBoth((draft, at) => {
      draft.configSettings.formFactor = 'desktop';
      setThrottling(draft, { rttMs: 40, throughputKbps: 10_240, cpuSlowdownMultiplier: 1 });
      lcp(draft, 0.98 - 0.12 * at);
    }),
  },
  {
    name: 'among three runs',
    planted: 'local 89, 92 and 96, remote 90',
    plant: ({ psi, lighthouse }) => {
      tbt(psi, 0.7);
      tbt(lighthouse, 0.75);
    },
    others: [0.66, 0.89].map(value => draft => tbt(draft, value)),
  },
  {
    name: 'beside another audit, without harm',
    planted: 'local: one more audit at once, benchmark a fifth lower; no point',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 1000;
      lighthouse.environment.benchmarkIndex = 800;
    },
    environment: { lighthouse: { concurrent_audits: 1, benchmark_median: 1000 } },
    first: [null, 'run_noise', 'disturbed_run'],
  },
  {
    name: 'a test of which a local run saw the other half',
    planted: 'local A, B, A with 99, 85 and 99, remote B with 85',
    plant: ({ psi }) => withVariant(psi),
    others: [withVariant, () => {}],
    first: [null, 'run_noise'],
    says: /is inside the range of the 3 local runs/i,
  },
  {
    name: 'layout beside another audit',
    planted: '100 and 260 ms of layout, 2 points of blocking time',
    plant: ({ psi, lighthouse }) => {
      setLayoutWork(psi, 120);
      setLayoutWork(lighthouse, 312);
      blocking(lighthouse, 0.93, 110);
    },
    environment: { lighthouse: { concurrent_audits: 1 } },
  },
  {
    name: 'layout of a table, held up',
    planted: '60 and 290 ms of layout, 4 points of blocking time',
    plant: ({ psi, lighthouse }) => {
      setLayoutWork(psi, 72);
      setLayoutWork(lighthouse, 348);
      blocking(lighthouse, 0.87, 180);
    },
    environment: { lighthouse: { concurrent_audits: 1 } },
  },
  {
    name: 'the next browser',
    planted: 'remote: Chrome 154; 4 points of the speed index',
    plant: ({ psi }) => {
      psi.environment.hostUserAgent = psi.environment.hostUserAgent.replace('Chrome/153', 'Chrome/154');
      score(psi, { 'speed-index': 0.6 });
    },
  },
  {
    name: 'a patch of Lighthouse',
    planted: 'remote: 13.5.3; 1 point',
    plant: ({ psi }) => {
      psi.lighthouseVersion = '13.5.3';
      lcp(psi, 0.94);
    },
  },
  {
    name: 'an answer of 50 minutes ago',
    planted: 'remote: from the cache; 2 points',
    plant: ({ psi }) => lcp(psi, 0.9),
    cached: { age: 50 * 60 },
    first: [null, 'run_noise', 'cached_answer'],
  },
  {
    name: 'a slow moment of a known machine',
    planted: 'local: index 640 of usually 1,450, remote 1,500; 3 points',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 1500;
      lighthouse.environment.benchmarkIndex = 640;
      tbt(lighthouse, 0.9);
    },
    environment: { lighthouse: { benchmark_median: 1450 } },
  },
  {
    name: 'a quarter of a second',
    planted: 'remote: 250 ms later to the first byte, 1 point',
    plant: ({ psi }) => {
      setResponse(psi, 290);
      lcp(psi, 0.94);
    },
    simulated: { server: { 'largest-contentful-paint': 0.95 } },
  },
  {
    name: 'this machine under another port',
    planted: 'remote: another service of this machine, index 620 against 1,510; 2 points of blocking time',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 620;
      lighthouse.environment.benchmarkIndex = 1510;
      runScripts(psi, [62, 66, 118, 60]);
      runScripts(lighthouse, [47, 50, 92, 46]);
    },
    analyser: { ...custom, host: '192.168.4.20:9411' },
    environment: { psi: { boot_id: '77aa77aa77aa77aa' }, lighthouse: { boot_id: '77aa77aa77aa77aa' } },
  },
  {
    name: 'a little of every metric',
    planted: 'paints, blocking time, shifts and speed each a little apart; 2 points',
    plant: ({ psi, lighthouse }) => {
      measure(psi, { fcp: 1180, lcp: 2010, tbt: 70, cls: 0.02, si: 1500 });
      measure(lighthouse, { fcp: 1060, lcp: 2230, tbt: 132, cls: 0.035, si: 1400 });
    },
  },
  {
    name: 'a busy machine for both',
    planted: 'both: index 260 and 275 of usually 1,400, an audit beside them; 300 and 350 ms of blocking time',
    plant: onBoth((draft, at) => {
      draft.environment.benchmarkIndex = [260, 275][at] ?? 0;
      runScripts(
        draft,
        [
          [118, 121, 136, 36],
          [128, 137, 144, 38],
        ][at] ?? [],
      );
    }),
    analyser: { kind: 'embedded', host: '127.0.0.1:8000' },
    environment: {
      psi: { benchmark_median: 1400, concurrent_audits: 1 },
      lighthouse: { benchmark_median: 1400, concurrent_audits: 1 },
    },
    first: [null, 'run_noise', 'disturbed_run'],
  },
  {
    name: 'modes in five runs',
    planted: 'local: LCP of 1.85, 3.1, 1.87, 3.05 and 1.9 s; remote 3.08',
    plant: ({ psi }) => measure(psi, { lcp: 3080 }),
    others: [3100, 1870, 3050, 1900].map(lcp => draft => measure(draft, { lcp })),
    says: /inside the range of the 5 local runs/i,
  },
  {
    name: 'a cold server for the first run',
    planted: 'local: 2.4 s to the first byte in one of three runs, 40 ms in the others, as on the remote side',
    plant: ({ psi, lighthouse }) => [psi, lighthouse].forEach(draft => void setResponse(draft, 40)),
    others: [
      draft => {
        setResponse(draft, 2400);
        measure(draft, { fcp: 3500, lcp: 4300, si: 3600 }, { paint: 2650 });
      },
      draft => measure(draft, { lcp: 1900 }),
    ],
  },
  {
    name: 'a heavy page, twice',
    planted: 'both: a second of script; LCP 4.3 and 4.55 s, 1,016 and 1,075 ms of blocking time; 3 points',
    plant: onBoth((draft, at) => {
      runScripts(
        draft,
        [
          [520, 410],
          [548, 431],
        ][at] ?? [],
      );
      measure(draft, { fcp: 2100 + 60 * at, lcp: 4300 + 250 * at, si: 2900 + 100 * at }, { paint: 700 + 40 * at });
    }),
  },
  {
    name: 'a machine of the same make',
    planted: 'remote: another machine, index 1,480 against 1,210; every script a fifth faster; 1 point',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 1480;
      lighthouse.environment.benchmarkIndex = 1210;
      runScripts(psi, [66, 71, 90, 64]);
      runScripts(lighthouse, [79, 85, 108, 77]);
    },
    environment: { psi: { boot_id: '00000000000000c7' }, lighthouse: { boot_id: '00000000000000d7' } },
  },
  {
    name: 'a release in an address',
    planted: 'both: a captcha of 512 KB, 120 ms, under a folder with the token of its release',
    plant: onBoth((draft, at) => {
      const release = ['pPK749sccDmVW_9DSeTMVvh2', 'hbAq-YhJxOnlU-7cpgBoAJHb'][at];
      const url = `https://captcha.example/recaptcha/releases/${release}/recaptcha__en.js`;
      addScript(draft, url, 512_000);
      addScriptTime(draft, url, 120);
      measure(draft, { tbt: [98, 104][at] ?? 0 });
    }),
  },
  {
    name: 'priorities of another browser',
    planted: 'remote: Chrome 141 asks for each script with Medium and not Low priority; 3 points',
    plant: ({ psi, lighthouse }) => {
      psi.environment.hostUserAgent = psi.environment.hostUserAgent.replace(/Chrome\/[\d.]+/, 'Chrome/141.0.7390.0');
      for (const [draft, priority] of [
        [psi, 'Medium'],
        [lighthouse, 'Low'],
      ] as const)
        eachRequest(draft, item => (item.resourceType === 'Script' ? { ...item, priority } : item));
      measure(psi, { lcp: 2600 });
    },
    // That the browsers differ is true.
    first: [null, 'run_noise', 'chrome_version'],
  },
  {
    name: 'a slow moment of all scripts',
    planted: 'local: every script takes 1.5 times as long, the index is the same; 4 points',
    plant: drafts => {
      setIndices(drafts, 1400, 1380);
      runScripts(drafts.psi, [50, 64, 88, 58]);
      runScripts(drafts.lighthouse, [74, 96, 128, 85]);
    },
    environment: twoMachines,
  },
  {
    name: 'a tag that works a little longer',
    planted: 'both: the same tag, 240 and 300 ms; 3 points',
    plant: onBoth((draft, at) => {
      addScript(draft, managerTag, 140_000);
      runScripts(
        draft,
        [
          [60, 62, 95, 58],
          [64, 60, 99, 61],
        ][at] ?? [],
        { [managerTag]: [240, 300][at] ?? 0 },
      );
    }),
  },
  {
    name: 'a page of news',
    planted: 'both: 9 of 40 pictures are others, of the same size, as is a tenth of the elements',
    plant: onBoth((draft, at) => {
      for (let story = 0; story < 40; story++) {
        const name = `${story > 30 ? ['old', 'new'][at] : 'onBoth'}-${'abcdefghijklmnopqrstuvwxyzabcdefghijklmn'[story]}${story > 25 ? 'x' : ''}`;
        addPicture(draft, `${origin}/stories/${name}.jpg`, 2200);
      }
      setElements(draft, [900, 930][at] ?? 0);
      setDocument(draft, { resourceSize: [88_000, 89_900][at] });
    }),
  },
  {
    name: 'Google, whose index is lower',
    planted: 'remote: index 560 against 1,600; 3 points of blocking time',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 560;
      lighthouse.environment.benchmarkIndex = 1600;
      runScripts(psi, [78, 80, 130, 76]);
      runScripts(lighthouse, usualTimes);
    },
    analyser: googleApi,
  },
  {
    name: 'between two modes',
    planted: 'local: 99, 91, 99, 92 and 98; remote 95',
    plant: ({ psi }) => measure(psi, { lcp: 2950 }),
    others: [3300, 1860, 3200, 2050].map(lcp => draft => measure(draft, { lcp })),
  },
  {
    name: 'a busy moment of one half',
    planted: 'embedded, each beside the other: every script 1.3 times as long here; 2 points',
    plant: onBoth((draft, at) => runScripts(draft, at === 0 ? usualTimes : [77, 80, 122, 74])),
    analyser: { kind: 'embedded', host: '127.0.0.1:8000' },
    environment: { psi: { concurrent_audits: 1 }, lighthouse: { concurrent_audits: 1 } },
  },
  {
    name: 'a page that moves now and then',
    planted: 'CLS 0, 0.3, 0 and 0.28 in four loads, of which the remote one has 0.3',
    plant: ({ psi, lighthouse }) => {
      shift(psi, [{ ...unsized, score: 0.3 }]);
      shift(lighthouse, []);
    },
    others: [0, 0.28].map(score => draft => shift(draft, score ? [{ ...unsized, score }] : [])),
    first: [null, 'run_noise'],
    says: alike,
  },
  {
    name: 'an early and a late promise',
    planted: '400 ms behind a promise on both sides, which blocks 380 ms or 60 by where it falls',
    plant: ({ psi, lighthouse }) => {
      mainThread(psi, { ...usualScripts, [nameless]: 400 }, { blockingMs: 60 });
      mainThread(lighthouse, { ...usualScripts, [nameless]: 440 }, { blockingMs: 420 });
    },
    says: /run-to-run noise/i,
    never: /did not load|no known cause|disturbed|simulation of/i,
  },
  {
    name: 'a lottery behind a promise',
    planted: 'five local runs with 300 to 900 ms, remote 500',
    plant: ({ psi, lighthouse }) => {
      mainThread(psi, { ...usualScripts, [nameless]: 500 });
      mainThread(lighthouse, { ...usualScripts, [nameless]: 560 });
    },
    others: [300, 420, 760, 900].map(ms => draft => mainThread(draft, { ...usualScripts, [nameless]: ms })),
  },
  {
    name: 'work in every other load',
    planted: 'five local runs with 0, 800, 0, 820 and 790 ms behind a promise, remote 0',
    plant: ({ psi, lighthouse }) => {
      mainThread(psi, usualScripts);
      mainThread(lighthouse, { ...usualScripts, [nameless]: 790 });
    },
    others: [2, 3, 800, 820].map(ms => draft => mainThread(draft, { ...usualScripts, [nameless]: ms })),
  },
  {
    name: 'a short wait on both sides',
    planted: '50 and 70 ms of wait, one point',
    plant: ({ psi, lighthouse }) => {
      mainThread(psi, usualScripts);
      mainThread(lighthouse, { ...usualScripts, '2.js': 60 });
    },
    environment: {
      psi: { processor_wait: { main_thread_ms: 50 } },
      lighthouse: { processor_wait: { main_thread_ms: 70 } },
    },
  },
  {
    name: 'another version, and the same',
    planted: 'remote: Lighthouse 13.6; all values alike',
    plant: ({ psi }) => {
      psi.lighthouseVersion = '13.6.0';
    },
    first: [null, 'lighthouse_version'],
  },
  {
    name: 'one slow run of five',
    planted: 'local: 99 four times and 80 once; remote 98',
    plant: () => {},
    others: [20, 15, 25, 700].map(blockingMs => draft => mainThread(draft, usualScripts, { blockingMs })),
  },
];
