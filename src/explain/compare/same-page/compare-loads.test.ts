import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildDetails, buildSide, pageUrl } from '../../../../test/support/builders/side.ts';
import { type SideFacts, toSideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import type { LhrAudit } from '../../../measure/lhr/lhr.ts';
import { likely, negligible } from '../constants.ts';
import { judgePage, type PageOrder } from './same-page.ts';

type Item = {
  path?: string;
  url?: string;
  type?: string;
  status?: number;
  finished?: boolean;
  protocol?: string;
  bytes?: number;
  packed?: number;
  priority?: string;
};

const requests = (...items: Item[]): LhrAudit =>
  buildDetails('network-requests', {
    items: [{}, ...items].map(
      ({ path = '', url = `${pageUrl}${path}`, type = path ? 'Image' : 'Document', ...rest }: Item) => ({
        url,
        resourceType: type,
        statusCode: rest.status ?? 200,
        resourceSize: rest.bytes ?? 5000,
        transferSize: rest.packed,
        priority: rest.priority,
        finished: rest.finished,
        protocol: rest.protocol,
      }),
    ),
  });
const factsOf = (...audits: LhrAudit[]) => toSideFacts(buildSide({ audits }).lhr, 'mobile');
const scripts = (...items: [path: string, ms: number][]) =>
  buildDetails('bootup-time', {
    items: items.map(([path, ms]) => ({ url: `${pageUrl}${path}`, scripting: 1.2 * ms, total: 1.2 * ms })),
  });
const errors = (...items: string[]) =>
  buildDetails('errors-in-console', { items: items.map(description => ({ description })) });
const element = (selector: string, nodeLabel: string) =>
  buildDetails('lcp-breakdown-insight', {
    items: [
      { type: 'table', items: [] },
      { type: 'node', selector, nodeLabel },
    ],
  });
/** Judges the page, with the names of both sides. */
const judge = (order: PageOrder) =>
  judgePage({
    ...order,
    psi: { ...order.psi, where: 'on Google' },
    lighthouse: order.lighthouse.map(facts => ({ ...facts, where: 'in local Lighthouse' })),
  });
const same = [requests({ path: 'a.png' }), scripts(['a.js', 20]), errors(), element('h1', 'Boats')];
const say = (psi: LhrAudit[], lighthouse: LhrAudit[] = same, ...others: LhrAudit[][]) => {
  const cause = judge({
    psi: factsOf(...psi),
    lighthouse: [lighthouse, ...others].map(audits => factsOf(...audits)),
  });
  return cause && [cause.certainty, cause.explanation.replace(/^[^:]+: /, '')];
};

test('two loads of one page are equal, whatever their queries and build hashes', () => {
  assert.equal(say(same), undefined);
  const app = (path: string) => [requests({ path, type: 'Script' })];
  assert.equal(say(app('app.3f2ab9c1.js?r=1'), app('app.77d0e1aa.js?r=2')), undefined);
  assert.equal(say([requests({ path: 'favicon.ico' })], [requests()]), undefined);
  assert.equal(say([requests({ path: 'beacon', type: 'Ping' })], [requests()]), undefined);
  assert.equal(say([buildDetails('network-requests', {})], same), undefined, 'a side that says nothing');
  assert.equal(say([requests({ path: 'a.png', status: 304 })], same), undefined, 'not modified');
});

test('a request that failed on one side is a different page, and the side is named', () => {
  assert.deepEqual(say([requests({ path: 'a.png', status: 403 })], [requests({ path: 'a.png' })]), [
    'observed',
    '/a.png returned a 403 on Google.',
  ]);
  assert.deepEqual(say([requests({ path: 'a.css' })], [requests({ path: 'a.css', status: 500, type: 'Stylesheet' })]), [
    'observed',
    '/a.css returned a 500 in local Lighthouse.',
  ]);
  const both = [requests({ path: 'a.png', status: 404 })];
  assert.equal(say(both, both), undefined);
});

test('a request without an answer failed, unless the end of the load cut it off', () => {
  const font = (fields: Item) => [requests({ path: 'a.woff2', type: 'Font', ...fields })];
  assert.deepEqual(say(font({}), font({ status: -1, bytes: 0 })), [
    'observed',
    '/a.woff2 got no response in local Lighthouse.',
  ]);
  assert.equal(say(font({}), font({ status: -1, finished: false })), undefined);
  const call = (status: number) => [requests({ path: 'stock', type: 'Fetch', status })];
  assert.equal(say(call(-1), call(200)), undefined);
});

test('a file over https is the same file, and so is one requested twice', () => {
  const picture = (url: string) => requests({ url, type: 'Image', bytes: 90_000 });
  assert.equal(say([picture('http://cdn.example/a.png')], [picture('https://cdn.example/a.png')]), undefined);
  const script: Item = { path: 'a.js', type: 'Script', bytes: 40_000 };
  assert.equal(say([requests(script)], [requests(script, script)]), undefined);
  assert.match(
    say([requests(script)], [requests(script, { ...script, path: 'a.js?2' })])?.[1] ?? '',
    /in local Lighthouse/,
  );
});

test('if the version of a file differs, neither name is reported for both', () => {
  const app = (path: string, bytes: number) => [requests({ path, type: 'Script', bytes })];
  assert.deepEqual(say(app('app.3f2ab9c1.js', 60_000), app('app.77d0e1aa.js', 180_000)), [
    'observed',
    '/app.*.js has 60 kB on Google and 180 kB in local Lighthouse.',
  ]);
});

test('numbered hosts with the same files are interchangeable, IP addresses and ports are not', () => {
  const from = (host: string, bytes = 90_000) => [requests({ url: `http://${host}/a.png`, type: 'Image', bytes })];
  assert.equal(say(from('img1.cdn.example'), from('img3.cdn.example')), undefined);
  assert.equal(say(from('www.shop.example'), from('shop.example')), undefined);
  assert.equal(say(from('192.0.2.1'), from('192.0.2.7'))?.[0], 'observed');
  assert.equal(say(from('localhost:3000'), from('localhost:4000'))?.[0], 'observed');
  assert.match(
    say(from('img1.cdn.example'), from('img3.cdn.example', 300_000))?.[1] ?? '',
    /^img\*\.cdn\.example\/a\.png has/,
  );
});

test('how much of a video was buffered is not a difference, a megabyte more of data is', () => {
  const film = (bytes: number) => [requests({ path: 'a.mp4', type: 'Media', status: 206, bytes })];
  assert.equal(say(film(1_300_000), film(2_400_000)), undefined);
  const data = (bytes: number) => [requests({ path: 'a.json', type: 'Fetch', bytes })];
  assert.equal(say(data(200_000), data(400_000))?.[0], 'possible');
  assert.equal(say(data(200_000), data(12_000_000))?.[0], 'observed');
});

test('an inline script is compared, too', () => {
  assert.deepEqual(say([requests(), scripts(['', 520])], [requests(), scripts(['', 8])]), [
    'observed',
    'the script of the document ran for 520 ms on Google and for 8 ms in local Lighthouse.',
  ]);
});

test('advertisers that rotate are not a different page', () => {
  const bid = (name: string) => [requests({ url: `https://${name}.example/bid.js`, type: 'Script', bytes: 90_000 })];
  assert.equal(say(bid('a'), bid('b'), bid('c')), undefined);
  assert.equal(say(bid('a'), same, same)?.[0], 'observed');
});

test('a file of a different size is a different page, a slightly larger one is not', () => {
  const image = (bytes: number) => [requests({ path: 'a.png', bytes })];
  assert.deepEqual(say(image(180_000), image(3_000_000)), [
    'observed',
    '/a.png has 180 kB on Google and 3.0 MB in local Lighthouse.',
  ]);
  assert.equal(say(image(100_000), image(140_000)), undefined);
  assert.equal(say(image(1000), image(9000)), undefined);
});

test('an empty stylesheet or script is a different one, however small', () => {
  const sheet = (bytes: number, finished = true) => [requests({ path: 'a.css', type: 'Stylesheet', bytes, finished })];
  assert.deepEqual(say(sheet(4000), sheet(0)), ['observed', '/a.css has 4 kB on Google and 0 B in local Lighthouse.']);
  assert.equal(say(sheet(400), sheet(0)), undefined);
  assert.equal(say(sheet(4000), sheet(0, false)), undefined, 'the end of the load cut it off');
  const call = (bytes: number) => [requests({ path: 'stock', type: 'Fetch', bytes })];
  assert.equal(say(call(4000), call(0)), undefined, 'of an answer that is made for each visitor');
});

test('a small file of another version is a possible cause if the scores differ', () => {
  const sheet = (bytes: number) => factsOf(requests({ path: 'a.css', type: 'Stylesheet', bytes }));
  const order = { psi: sheet(9000), lighthouse: [sheet(15_000)] };
  assert.equal(judge(order), undefined);
  assert.match(
    judge({ ...order, least: negligible })?.explanation ?? '',
    /may have loaded .*: \/a\.css has 9 kB on Google and 15 kB in local Lighthouse\.$/,
  );
});

test('an additional rule in a stylesheet or script is a possible cause if the scores differ', () => {
  const facts = (bytes: number, type = 'Stylesheet', url = `${pageUrl}a.css`) =>
    factsOf(requests({ url, type, bytes }));
  const say = (psi: SideFacts, lighthouse: SideFacts, least = negligible) =>
    judge({ psi, lighthouse: [lighthouse], least })?.explanation.replace(/^[^:]+: /, '');
  assert.equal(say(facts(24), facts(30)), '/a.css has 24 B on Google and 30 B in local Lighthouse.');
  assert.equal(
    say(facts(31_024, 'Script'), facts(31_040, 'Script')),
    '/a.css has 31024 bytes on Google and 31040 bytes in local Lighthouse.',
  );
  assert.equal(say(facts(24), facts(30), likely), undefined, 'the scores are alike');
  assert.equal(say(facts(3024, 'Image'), facts(3030, 'Image')), undefined, 'pictures are drawn for each visitor');
  const tag = 'https://tags.example/a.js';
  assert.equal(say(facts(3024, 'Script', tag), facts(3030, 'Script', tag)), undefined, 'of another host');
});

test('more files with the same path and different queries are not a larger file', () => {
  const drawn = (...queries: number[]) => [
    requests(...queries.map(at => ({ path: `image?of=${at}`, bytes: 90_000 + at }))),
  ];
  assert.deepEqual(say(drawn(1, 2), drawn(3)), [
    'possible',
    '/image loaded with 2 different queries (180 kB) on Google and with 1 (90 kB) in local Lighthouse.',
  ]);
  assert.equal(say(drawn(1, 2), drawn(3, 4)), undefined);
});

test('files that are each a little larger are reported as a sum', () => {
  const pictures = (times: number) => [
    requests(...[1, 2, 3, 4].map(at => ({ path: `${at}.png`, bytes: 90_000 * times }))),
  ];
  assert.deepEqual(say(pictures(1), pictures(1.4)), [
    'observed',
    'the files that both sides loaded have 360 kB on Google and 504 kB in local Lighthouse.',
  ]);
  assert.equal(say(pictures(1), pictures(1.08)), undefined);
});

test('a script that works three times as long does different work, unless its machine is that much slower', () => {
  const busy = (ms: number) => [requests({ path: 'a.js', type: 'Script' }), scripts(['a.js', ms])];
  assert.deepEqual(say(busy(0), busy(700)), [
    'observed',
    '/a.js ran for 0 ms on Google and for 700 ms in local Lighthouse.',
  ]);
  assert.equal(say(busy(300), busy(500)), undefined);
  const unlisted = [requests({ path: 'a.js', type: 'Script' }), scripts()];
  assert.equal(say(unlisted, busy(180)), undefined, 'a short script is not listed: it was held up once');
  const slow = toSideFacts(buildSide({ audits: busy(800), benchmarkIndex: 500 }).lhr, 'mobile');
  assert.equal(judge({ psi: slow, lighthouse: [factsOf(...busy(200))] }), undefined);
});

test('under a CPU limit every script takes longer', () => {
  const busy = (ms: number, processors: number) => ({
    ...factsOf(requests({ path: 'a.js', type: 'Script' }), scripts(['a.js', ms])),
    processors,
  });
  const certaintyOf = (theirs: number, ours: number) =>
    judge({ psi: busy(20, theirs), lighthouse: [busy(400, ours)] })?.certainty;
  assert.equal(certaintyOf(2, 0.3), undefined);
  assert.equal(certaintyOf(0.3, 2), 'observed', 'the other side is limited');
  assert.equal(certaintyOf(16, 4), 'observed', 'four processors are no limit');
  assert.equal(certaintyOf(0.3, 0.3), 'observed', 'both sides are');
});

test('if the scores differ, the script that took twice as long is a possible cause', () => {
  const tag = (ms: number) => factsOf(requests({ path: 'tag.js', type: 'Script' }), scripts(['tag.js', ms]));
  const order = { psi: tag(300), lighthouse: [tag(700)] };
  assert.equal(judge(order), undefined);
  assert.match(
    judge({ ...order, least: negligible })?.explanation ?? '',
    /may have loaded different pages: \/tag\.js ran for 300 ms on Google and for 700 ms in local Lighthouse\.$/,
  );
  assert.equal(judge({ psi: tag(300), lighthouse: [tag(400)], least: negligible }), undefined);
});

test('a file loaded by only one side is a different page if it is large, runs, or is third-party', () => {
  const ads = { url: 'http://ads.example/a.js', type: 'Script', bytes: 90 };
  assert.deepEqual(say([requests(ads)], [requests()]), ['observed', 'ads.example/a.js loaded only on Google (90 B).']);
  const pictures = [1, 2, 3, 4].map(at => ({ path: `${at}.png`, bytes: 30_000 }));
  assert.match(
    say([requests()], [requests(...pictures)])?.[1] ?? '',
    /^\/1\.png, \/2\.png and others loaded only in local Lighthouse \(120 kB\)/,
  );
  assert.equal(say([requests({ path: 'counter.gif', bytes: 43 })], [requests()]), undefined);
  const beacons = 'abcdefgh'.split('').map(name => ({ url: `https://${name}.example/i`, type: 'Ping' }));
  assert.equal(say([requests(...beacons)], [requests()]), undefined);
});

test('a console error of one side only is reported', () => {
  assert.deepEqual(say([errors('TypeError: x is\u001b[31m not a function')], [errors()]), [
    'observed',
    'the console shows an error only on Google (TypeError: x is [31m not a function).',
  ]);
  assert.equal(say([errors('one 1')], [errors('one 2')]), undefined, 'both have one');
  assert.equal(say([errors('a', 'b')], [errors('a', 'c')]), undefined, 'a page with errors of its own');
  assert.deepEqual(say([errors('one 1', 'two')], [errors('one 2')]), [
    'possible',
    'the console shows an error only on Google (two).',
  ]);
});

test('a file that only one side compresses, or that blocks rendering on only one side, is reported', () => {
  const app = (fields: Item) => [requests({ path: 'a.js', type: 'Script', bytes: 90_000, packed: 30_000, ...fields })];
  assert.deepEqual(say(app({}), app({ packed: 90_300 })), [
    'observed',
    '/a.js transferred 30 kB on Google and 90 kB in local Lighthouse.',
  ]);
  assert.deepEqual(say(app({ priority: 'Low' }), app({ priority: 'High' })), [
    'possible',
    '/a.js was requested with low priority on Google and with high priority in local Lighthouse.',
  ]);
});

test('small files that only one side compresses are reported together', () => {
  const styles = (packed: number, count = 3) => [
    requests(...[1, 2, 3].slice(0, count).map(at => ({ path: `${at}.css`, type: 'Stylesheet', bytes: 9000, packed }))),
  ];
  assert.deepEqual(say(styles(2300), styles(9160)), [
    'observed',
    '/1.css, /2.css and others transferred 7 kB on Google and 27 kB in local Lighthouse.',
  ]);
  assert.equal(say(styles(2300, 1), styles(9160, 1)), undefined, 'one of them is little');
  assert.equal(say(styles(2300), styles(2900)), undefined, 'two kinds of compression');
});

test('a priority that another browser gives to all files of a type is due to that browser', () => {
  const facts = (milestone: number, ...priorities: string[]) => {
    const items = priorities.map((priority, at) => ({ path: `${at}.js`, type: 'Script', priority }));
    return { ...factsOf(requests(...items)), chromeMilestone: milestone };
  };
  const certaintyOf = (psi: ReturnType<typeof facts>, lighthouse: ReturnType<typeof facts>) =>
    judge({ psi, lighthouse: [lighthouse] })?.certainty;
  assert.equal(certaintyOf(facts(141, 'Medium', 'Medium'), facts(153, 'Low', 'Low')), undefined);
  assert.equal(certaintyOf(facts(141, 'Medium', 'Low'), facts(153, 'Low', 'Low')), 'possible');
  assert.equal(certaintyOf(facts(153, 'Medium', 'Medium'), facts(153, 'Low', 'Low')), 'observed');
});

test('if the scores differ, the smallest difference is possible', () => {
  const document = (resourceSize: number) =>
    factsOf(buildDetails('network-requests', { items: [{ url: pageUrl, resourceType: 'Document', resourceSize }] }));
  const order = { psi: document(5000), lighthouse: [document(5024)] };
  assert.equal(judge(order), undefined);
  assert.match(judge({ ...order, least: negligible })?.explanation ?? '', /5000 bytes on Google and 5024 bytes/);
});

test('layout and painting that took three times as long is possible if the scores differ', () => {
  const facts = (duration: number) =>
    factsOf(buildDetails('mainthread-work-breakdown', { items: [{ group: 'styleLayout', duration: 1.2 * duration }] }));
  const order = { psi: facts(5), lighthouse: [facts(750)] };
  assert.equal(judge(order), undefined);
  assert.match(
    judge({ ...order, least: negligible })?.explanation ?? '',
    /: layout and painting took 5 ms on Google and 750 ms in local Lighthouse\.$/,
  );
  assert.equal(judge({ psi: facts(300), lighthouse: [facts(500)], least: negligible }), undefined);
});

test('a different largest element alone is possible', () => {
  assert.deepEqual(say([element('h1', 'Boote')], [element('h1', 'Boats')]), [
    'possible',
    'The largest element was “Boote” on Google and “Boats” in local Lighthouse.',
  ]);
  assert.equal(say([element('h1', '1,204 boats, 12:30')], [element('h1', '998 boats, 12:31')]), undefined);
  assert.equal(say([element('h1.css-1q2w', 'Boats')], [element('h1.css-9z8y', 'Boats')]), undefined);
});

test('differences among the local runs are ignored, and so are those in only some of them', () => {
  const hero = (name: string) => [requests({ path: `heroes/${name}.png`, bytes: 90_000 })];
  assert.equal(say(hero('d'), hero('a'), hero('b'), hero('c')), undefined);
  assert.equal(say(hero('a'), hero('b'), hero('a')), undefined);
  assert.equal(say(hero('b'), hero('a'), hero('a'))?.[0], 'observed');
});

test('text of a page or a server is short, on one line, and without terminal control characters', () => {
  const long = `\u001b[2J\n${'ä'.repeat(5000)}`;
  const url = `http://${'a'.repeat(200)}.example/${'b'.repeat(9000)}\u0007`;
  const hostile = [
    requests(
      ...Array.from({ length: 3000 }, (_, at) => ({ url: `${url}${at}`, type: 'Script', bytes: 9e9, status: 403 })),
    ),
    errors(...Array.from({ length: 3000 }, () => long)),
    element(long, long),
  ];
  const facts = { ...factsOf(...hostile), finalUrl: `https://example.com/${long}` };
  for (const cause of [
    judge({ psi: facts, lighthouse: [factsOf(...same), factsOf(...same)] }),
    judge({ psi: factsOf(...same), lighthouse: [facts] }),
  ]) {
    assert.ok((cause?.explanation.length ?? 0) < 700, cause?.explanation);
    assert.doesNotMatch(cause?.explanation ?? '', /\p{Cc}/u);
    assert.ok(JSON.stringify(cause).length < 12_000);
  }
});
