/** Pages of known cause: what a person is told to fix first is that cause. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildPage, culprits, discovery, finding, phases } from '../../test/support/builders/known-causes.ts';
import type { Lhr } from '../measure/lhr/lhr.ts';
import { toResult } from '../measure/lhr/to-result.ts';
import { firstAdvice } from './findings/findings.ts';
import { sayVerdict } from './verdict-words.ts';

const resultOf = (lhr: Lhr) =>
  toResult(lhr, {
    source: 'lighthouse',
    analyser: { kind: 'local' },
    url: 'https://example.com/',
    strategy: lhr.configSettings?.formFactor === 'desktop' ? 'desktop' : 'mobile',
    categories: ['performance'],
    conditions: null,
    requestedAt: '2026-11-20T09:59:30.000Z',
    field: null,
  });

const image = (saving: number) => finding('image-delivery-insight', { LCP: saving, FCP: 0 });
const scripts = (tbt: number) => [
  finding('bootup-time', { TBT: tbt }, { score: 0.3 }),
  finding('mainthread-work-breakdown', { TBT: tbt * 1.15 }, { score: 0.2 }),
];
const latency = (ms: number) => finding('document-latency-insight', { FCP: ms, LCP: ms });
const blocking = (fcp: number, lcp = fcp) => finding('render-blocking-insight', { FCP: fcp, LCP: lcp });

const pages: readonly (readonly [cause: string, page: Lhr, advice: string | undefined])[] = [
  [
    'a huge image as the main content',
    buildPage({ LCP: 11_600, found: [image(6400), phases(90, 40, 300, 60)] }),
    'image-delivery-insight',
  ],
  [
    'a huge image on desktop',
    buildPage({ strategy: 'desktop', LCP: 4200, found: [image(2600)] }),
    'image-delivery-insight',
  ],
  [
    'a huge image that is also named without a hint',
    buildPage({
      LCP: 9000,
      found: [image(4000), phases(80, 120, 400, 60), discovery({ hinted: false, eager: true, named: true })],
    }),
    'image-delivery-insight',
  ],
  [
    'an image in an old format, with some unused code',
    buildPage({ LCP: 5200, found: [image(1900), finding('unused-javascript', { LCP: 600, FCP: 0 })] }),
    'image-delivery-insight',
  ],
  [
    'a main image that a script inserts',
    buildPage({
      LCP: 5600,
      found: [phases(120, 2900, 200, 80), discovery({ hinted: false, eager: true, named: false }), image(150)],
    }),
    'lcp-discovery-insight',
  ],
  [
    'a main image that is loaded lazily',
    buildPage({
      LCP: 4800,
      found: [phases(150, 2100, 250, 90), discovery({ hinted: true, eager: false, named: true })],
    }),
    'lcp-discovery-insight',
  ],
  [
    'a background image of a late style sheet',
    buildPage({
      LCP: 5100,
      FCP: 1900,
      found: [phases(130, 1800, 200, 90), discovery({ hinted: false, eager: true, named: false }), blocking(300, 0)],
    }),
    'lcp-discovery-insight',
  ],
  [
    'render-blocking style sheets',
    buildPage({
      FCP: 4200,
      LCP: 4300,
      SI: 4500,
      found: [blocking(2100), finding('unused-css-rules', { FCP: 450, LCP: 450 })],
    }),
    'render-blocking-insight',
  ],
  [
    'a render-blocking script on desktop',
    buildPage({ strategy: 'desktop', FCP: 2300, LCP: 2500, found: [blocking(1300)] }),
    'render-blocking-insight',
  ],
  [
    'a blocking style sheet and text as the main content',
    buildPage({ FCP: 3600, LCP: 3600, found: [blocking(1500, 1500), finding('font-display-insight', { FCP: 120 })] }),
    'render-blocking-insight',
  ],
  [
    'a slow server',
    buildPage({ FCP: 4600, LCP: 5200, SI: 5000, found: [latency(2900), blocking(300)] }),
    'document-latency-insight',
  ],
  [
    'a slow server on desktop',
    buildPage({ strategy: 'desktop', FCP: 2900, LCP: 3100, SI: 3000, found: [latency(2100), image(200)] }),
    'document-latency-insight',
  ],
  [
    'redirects before the page',
    buildPage({
      FCP: 3900,
      LCP: 4400,
      found: [latency(1900), finding('redirects', { FCP: 1800, LCP: 1800 }), image(250)],
    }),
    'document-latency-insight',
  ],
  [
    'redirects, as an older Lighthouse tells them',
    buildPage({ FCP: 3900, LCP: 4400, found: [finding('redirects', { FCP: 1800, LCP: 1800 }), image(250)] }),
    'redirects',
  ],
  [
    'text that is not compressed',
    buildPage({
      FCP: 3400,
      LCP: 4100,
      found: [finding('uses-text-compression', { FCP: 1300, LCP: 1500 }), blocking(450, 450)],
    }),
    'uses-text-compression',
  ],
  ['a script that runs for long', buildPage({ TBT: 1400, found: scripts(1100) }), 'bootup-time'],
  [
    'a script that runs for long, on desktop',
    buildPage({ strategy: 'desktop', TBT: 700, found: scripts(560) }),
    'bootup-time',
  ],
  [
    'a long script on a page with a middling image',
    buildPage({ TBT: 1900, LCP: 2900, found: [...scripts(1500), image(400)] }),
    'bootup-time',
  ],
  [
    'the script of a third party',
    buildPage({
      TBT: 900,
      found: [...scripts(800), finding('third-parties-insight', {}, { score: null, scoreDisplayMode: 'informative' })],
    }),
    'bootup-time',
  ],
  [
    'layout and style, not scripts',
    buildPage({ TBT: 700, found: [finding('mainthread-work-breakdown', { TBT: 560 }, { score: 0.2 })] }),
    'mainthread-work-breakdown',
  ],
  [
    'images without a size that move the text',
    buildPage({
      CLS: 0.42,
      found: [culprits('image', 'image'), finding('unsized-images', { CLS: 0 }, { score: 0.5 })],
    }),
    'unsized-images',
  ],
  [
    'images without a size, and no word of what moved',
    buildPage({ CLS: 0.42, found: [finding('unsized-images', { CLS: 0 }, { score: 0.5 })] }),
    'unsized-images',
  ],
  [
    'a font that swaps and moves the text, with an innocent image',
    buildPage({ CLS: 0.31, found: [culprits('font'), finding('unsized-images', { CLS: 0 }, { score: 0.5 })] }),
    'cls-culprits-insight',
  ],
  [
    'a frame that is inserted late',
    buildPage({ CLS: 0.55, found: [culprits('iframe', 'iframe')] }),
    'cls-culprits-insight',
  ],
  ['something that moves for no known cause', buildPage({ CLS: 0.3, found: [culprits()] }), 'cls-culprits-insight'],
  [
    'a moving page whose first paint could be a little earlier',
    buildPage({
      CLS: 0.6,
      FCP: 1900,
      found: [culprits('image'), finding('unsized-images', { CLS: 0 }, { score: 0.5 }), blocking(300, 0)],
    }),
    'unsized-images',
  ],
  [
    'fonts that hide the text',
    buildPage({
      FCP: 3300,
      LCP: 2300,
      found: [finding('font-display-insight', { FCP: 1400 }), finding('unused-css-rules', { FCP: 150, LCP: 150 })],
    }),
    'font-display-insight',
  ],
  [
    'code that is never used',
    buildPage({
      FCP: 2900,
      LCP: 4600,
      found: [
        finding('unused-javascript', { FCP: 300, LCP: 1900 }),
        finding('legacy-javascript-insight', { FCP: 0, LCP: 150 }),
      ],
    }),
    'unused-javascript',
  ],
  [
    'scripts that are not minified',
    buildPage({
      LCP: 3900,
      found: [finding('unminified-javascript', { FCP: 150, LCP: 900 }), finding('unused-javascript', { LCP: 300 })],
    }),
    'unminified-javascript',
  ],
  [
    'one script many times',
    buildPage({ LCP: 4100, found: [finding('duplicated-javascript-insight', { FCP: 0, LCP: 1100 })] }),
    'duplicated-javascript-insight',
  ],
  [
    'HTTP/1.1 with many files',
    buildPage({ LCP: 4700, found: [finding('modern-http-insight', { LCP: 1500 }), image(300)] }),
    'modern-http-insight',
  ],
  [
    'a huge image, and an inflated sum of small estimates for other metrics',
    buildPage({
      LCP: 8800,
      FCP: 2000,
      found: [
        image(4200),
        blocking(200, 200),
        finding('unused-css-rules', { FCP: 200, LCP: 450 }),
        finding('unused-javascript', { FCP: 200, LCP: 900 }),
      ],
    }),
    'image-delivery-insight',
  ],
  [
    'slow everywhere, most of all by its script',
    buildPage({ FCP: 2300, LCP: 3300, TBT: 3000, found: [...scripts(2500), blocking(500, 400), image(350)] }),
    'bootup-time',
  ],
  ['cache lifetimes only, on a good page', buildPage({}), undefined],
  ['cache lifetimes only, on a page with a poor main content', buildPage({ LCP: 6000 }), undefined],
  [
    'a good page with something left to save',
    buildPage({ found: [image(150), finding('unused-javascript', { LCP: 150 })] }),
    undefined,
  ],
];

test('there are at least thirty pages', () => assert.ok(pages.length >= 30));

for (const [cause, lhr, advice] of pages)
  test(`${cause}: ${advice ?? 'no advice'}`, () => {
    const result = resultOf(lhr);
    assert.equal(firstAdvice(result)?.id, advice);
    const verdict = sayVerdict(result);
    assert.equal(verdict.includes('First to fix'), advice !== undefined, verdict);
    assert.doesNotMatch(verdict, /cache-insight|10\.7/, verdict);
  });

test('poor main content is never described as neither fast nor slow', () => {
  for (const [cause, lhr] of pages) {
    const result = resultOf(lhr);
    const verdict = sayVerdict(result);
    if (result.metrics.largest_contentful_paint.rating !== 'poor') continue;
    assert.doesNotMatch(verdict, /neither fast nor slow/, cause);
    assert.match(verdict, /Largest Contentful Paint is/, cause);
  }
});

test('a huge image is described in words', () => {
  const [, lhr] = pages[0] ?? [];
  assert.equal(
    sayVerdict(resultOf(lhr as Lhr)).replaceAll('\u00a0', ' '),
    'The main content of this page appears late on mobile: Largest Contentful Paint is 11.6 s. First to fix: Title of image-delivery-insight (may save 6.4 s on the main content, up to 16 points of performance).',
  );
});
