import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { initializeConfig } from 'lighthouse/core/config/config.js';
import psiDesktopConfig from 'lighthouse/core/config/lr-desktop-config.js';
import psiMobileConfig from 'lighthouse/core/config/lr-mobile-config.js';
import { buildLhr } from '../../../../test/support/builders/lhr.ts';
import {
  buildDetails,
  buildDocument,
  buildLatency,
  buildSide,
  pageUrl,
} from '../../../../test/support/builders/side.ts';
import { toLoadFacts } from './load-facts.ts';
import { psiPresets, toSideFacts } from './side-facts.ts';

test('the presets of PSI are those that Lighthouse ships', async () => {
  for (const [strategy, config] of [
    ['mobile', psiMobileConfig],
    ['desktop', psiDesktopConfig],
  ] as const) {
    const { settings } = (await initializeConfig('navigation', config)).resolvedConfig;
    const { rttMs, throughputKbps, cpuSlowdownMultiplier } = settings.throttling;
    assert.deepEqual(psiPresets[strategy], {
      method: settings.throttlingMethod,
      rttMs,
      throughputKbps,
      cpuSlowdownMultiplier,
    });
  }
});

test('values that a side reports are read', () => {
  const { lhr } = buildSide({
    audits: [
      buildDetails('total-byte-weight', {}, { numericValue: 100_000 }),
      buildDetails('dom-size-insight', { debugData: { totalElements: 300 } }),
    ],
  });
  assert.deepEqual(toSideFacts(lhr, 'mobile'), {
    where: 'on the PageSpeed Insights server',
    lighthouseVersion: '13.5.0',
    chromeMilestone: 153,
    formFactor: 'mobile',
    benchmarkIndex: 2000,
    throttling: { method: 'simulate', rttMs: 150, throughputKbps: 1638.4, cpuSlowdownMultiplier: 1.2, isTold: true },
    finalUrl: 'https://example.com/',
    statusCode: 200,
    redirects: 0,
    documentBytes: 5000,
    documentTransferred: null,
    documentMs: null,
    totalBytes: 100_000,
    requests: 4,
    elements: 300,
    serverResponseTime: 10,
    serverLatency: { 'https://example.com': 10 },
    roundTripTime: { 'https://example.com': 1 },
    processors: null,
    benchmarkUsual: null,
    waitedMs: null,
    load: toLoadFacts(lhr, 1.2, new Set(['https://example.com/'])),
  });
});

test('a page that redirects to itself has the status of its final answer, and one redirect', () => {
  const document = { url: pageUrl, resourceType: 'Document' };
  const items = [
    { ...document, statusCode: 302, resourceSize: 0 },
    { ...document, statusCode: 200, resourceSize: 5000 },
  ];
  const facts = toSideFacts(buildSide({ audits: [buildDetails('network-requests', { items })] }).lhr, 'mobile');
  assert.deepEqual([facts.statusCode, facts.documentBytes, facts.redirects], [200, 5000, 1]);
});

test("a value that a side does not report is null, and its throttling is PSI's preset", () => {
  const facts = toSideFacts(buildLhr({ finalDisplayedUrl: 'https://example.com/a#b' }), 'desktop');
  assert.deepEqual(facts.throttling, { ...psiPresets.desktop, isTold: false });
  assert.equal(facts.finalUrl, 'https://example.com/a', 'the fragment does not make it another page');
  const { chromeMilestone, formFactor, benchmarkIndex, statusCode, documentBytes, totalBytes, requests } = facts;
  for (const fact of [chromeMilestone, formFactor, benchmarkIndex, statusCode, documentBytes, totalBytes, requests])
    assert.equal(fact, null);
  assert.deepEqual([facts.elements, facts.serverResponseTime, facts.serverLatency], [null, null, {}]);
});

test('zero is a value', () => {
  const { lhr } = buildSide({
    audits: [...buildLatency(0, 0), buildDetails('total-byte-weight', {}, { numericValue: 0 })],
  });
  const facts = toSideFacts(lhr, 'mobile');
  assert.deepEqual([facts.totalBytes, facts.serverResponseTime], [0, 0]);
  assert.deepEqual(facts.roundTripTime, { 'https://example.com': 0 });
});

test('of several documents, the displayed one counts', () => {
  const { items: [frame] = [] } = buildDocument({ url: 'https://ads.example/', resourceSize: 9 }).details as {
    items: object[];
  };
  const { items: [own] = [] } = buildDocument({ resourceSize: 700 }).details as { items: object[] };
  const { lhr } = buildSide({ audits: [buildDetails('network-requests', { items: [frame, own] })] });
  assert.equal(toSideFacts(lhr, 'mobile').documentBytes, 700);
});

test('a 304 is the cached document, not a redirect', () => {
  const items = [{ url: pageUrl, resourceType: 'Document', statusCode: 304, resourceSize: 5000 }];
  const facts = toSideFacts(buildSide({ audits: [buildDetails('network-requests', { items })] }).lhr, 'mobile');
  assert.deepEqual([facts.statusCode, facts.documentBytes, facts.redirects], [200, 5000, 0]);
});

test('redirects count up to the document, without those of frames', () => {
  const hop = (url: string, statusCode = 302) => ({ url, resourceType: 'Document', statusCode });
  const items = [hop('http://example.com/', 301), hop('https://example.com/', 200), hop('https://ads.example/')];
  const { lhr } = buildSide({ audits: [buildDetails('network-requests', { items })] });
  assert.equal(toSideFacts(lhr, 'mobile').redirects, 1);
  assert.equal(toSideFacts(buildLhr(), 'mobile').redirects, null);
});

test('a side that reports that nothing was throttled has reported its settings', () => {
  const throttling = { cpuSlowdownMultiplier: 1, rttMs: 0, throughputKbps: 0 };
  const lhr = buildLhr({ configSettings: { throttlingMethod: 'provided', throttling } });
  assert.deepEqual(toSideFacts(lhr, 'mobile').throttling, { method: 'provided', ...throttling, isTold: true });
});

test('a PSI answer has no throttling, and partial throttling counts as none', () => {
  for (const throttling of [
    {},
    { cpuSlowdownMultiplier: 4 },
    { cpuSlowdownMultiplier: 0, rttMs: 1, throughputKbps: 1 },
  ]) {
    const lhr = buildLhr({ configSettings: { throttlingMethod: 'simulate', throttling } });
    assert.equal(toSideFacts(lhr, 'mobile').throttling.isTold, false);
  }
});

test('details of any shape cause no error', () => {
  const ids = [
    ...['network-requests', 'network-rtt', 'network-server-latency', 'dom-size-insight', 'errors-in-console'],
    ...['layout-shifts', 'cls-culprits-insight', 'lcp-discovery-insight', 'non-composited-animations', 'bootup-time'],
    'mainthread-work-breakdown',
  ];
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (details, item) => {
      for (const value of [
        ...[details, { items: details }, { items: [item] }, { debugData: item }],
        ...[
          { items: [{ items: [item] }] },
          {
            items: [
              { type: 'checklist', items: item },
              { type: 'node', node: item },
            ],
          },
        ],
        { items: [{ node: { type: 'node', nodeLabel: item }, score: item, subItems: { items: [item, details] } }] },
      ]) {
        const { lhr } = buildSide({ audits: ids.map(id => buildDetails(id, value)) });
        const facts = toSideFacts(lhr, 'mobile');
        for (const ms of Object.values(facts.serverLatency)) assert.ok(Number.isFinite(ms));
      }
    }),
  );
});

test('a list of hundreds of origins is truncated', () => {
  const items = Array.from({ length: 1000 }, (_, at) => ({ origin: `https://${at}.example`, rtt: at }));
  const { lhr } = buildSide({ audits: [buildDetails('network-rtt', { items })] });
  assert.equal(Object.keys(toSideFacts(lhr, 'mobile').roundTripTime).length, 200);
});

test('shifted elements are read from either audit, with their causes, largest first', () => {
  const node = (nodeLabel: string) => ({ type: 'node', selector: 'main > p', nodeLabel });
  const font = { extra: { type: 'url', value: 'https://example.com/fonts/text.woff2' }, cause: 'Web font' };
  const frame = { extra: { type: 'url', value: 'https://ads.example/slot?id=1' }, cause: 'Injected iframe' };
  const rows = [
    { node: node('A strip'), score: 0.05, subItems: { items: [frame] } },
    { node: node('A text'), score: 0.2, subItems: { items: [font] } },
    { node: { type: 'node', selector: 'div', nodeLabel: '' }, score: 0.01 },
  ];
  const table = { items: [{ node: { type: 'text', value: 'Total' }, score: 0.26 }, ...rows] };
  for (const audit of [
    buildDetails('layout-shifts', { items: rows }),
    buildDetails('cls-culprits-insight', { items: [table] }),
  ])
    assert.deepEqual(toSideFacts(buildSide({ audits: [audit] }).lhr, 'mobile').load.shifts.largest, [
      { name: 'A text', score: 0.2, reason: 'font', culprit: '/fonts/text.woff2' },
      { name: 'A strip', score: 0.05, reason: 'frame', culprit: '/slot' },
      { name: 'div', score: 0.01 },
    ]);
});

test('a request that a browser blocks ends immediately, a network failure takes time', () => {
  const item = { resourceType: 'Script', statusCode: -1, transferSize: 0, resourceSize: 0, networkRequestTime: 76 };
  const items = [
    { ...item, url: `${pageUrl}a.js`, networkEndTime: 76.01 },
    { ...item, url: `${pageUrl}b.js`, networkEndTime: 21_000 },
    { ...item, url: `${pageUrl}c.js`, networkEndTime: 76, protocol: 'h2' },
  ];
  const { load } = toSideFacts(buildSide({ audits: [buildDetails('network-requests', { items })] }).lhr, 'mobile');
  assert.deepEqual(
    [...(load.files?.values() ?? [])].map(({ isBlocked }) => isBlocked),
    [true, false, false],
  );
});

test("script without a file is added up, compiled or run, excluding the browser's own", () => {
  const items = [
    { url: 'Unattributable', scripting: 120, scriptParseCompile: 24, total: 200 },
    { url: 'blob:https://example.com/3f', scripting: 60, total: 70 },
    { url: 'Browser GC', scripting: 12, total: 90 },
    { url: 'chrome-extension://abc/content.js', scripting: 500, total: 510 },
    { url: `${pageUrl}a.js`, scripting: 500, total: 510 },
  ];
  const { load } = toSideFacts(buildSide({ audits: [buildDetails('bootup-time', { items })] }).lhr, 'mobile');
  assert.equal(load.namelessScriptMs, 170);
});
