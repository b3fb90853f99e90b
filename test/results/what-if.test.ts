/** Predicted scores of a stored load: one real load with a planted third party, simulated without a browser. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { ExperimentAnswer } from '../../src/contract/experiments/answer.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import type { WhatIf } from '../../src/contract/stored/what-if.ts';
import { toShown } from '../../src/presentation/undisturbed.ts';
import { busyFor, toPage, toPng } from '../compare/laboratory/site.ts';
import { ask, post, withQuery } from '../support/asking/ask.ts';
import { sharedPool } from '../support/audits/shared-pool.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { startService } from '../support/start-service.ts';

const hero = toPng(1_200_000);
let elsewhere = '';
const serve: RequestListener = ({ url = '' }, response) => {
  const files: Readonly<Record<string, [type: string, body: string | Buffer]>> = {
    '/': [
      'text/html',
      toPage({
        head: '<script src="app.js"></script><script src="wrapper.js"></script>',
        body: `<img src="hero.png" alt="A boat" width="380" height="380">
<script src="${elsewhere}/tag.js" async></script><script src="loader.js" defer></script>`,
      }),
    ],
    '/app.js': ['text/javascript', `${busyFor(30)}/* ${'x'.repeat(150_000)} */`],
    '/wrapper.js': [
      'text/javascript',
      'const own = window.fetch; window.fetch = function wrapped(...words) { return own(...words); };',
    ],
    '/loader.js': ['text/javascript', `fetch('content.json').then(answer => answer.text());`],
    '/content.json': ['application/json', '{}'],
    '/tag.js': [
      'text/javascript',
      `const pixel = new Image(); pixel.src = '${elsewhere}/pixel.png';
requestAnimationFrame(() => setTimeout(() => ${busyFor(300)}, 60));`,
    ],
    '/pixel.png': ['image/png', toPng(500)],
    '/hero.png': ['image/png', hero],
  };
  const [type, body] = files[url] ?? ['text/plain', ''];
  response.setHeader('content-type', type).end(body);
};
const site = await startLocalServer({ after }, serve);
elsewhere = site.url.replace('127.0.0.1', 'localhost');
const folder = makeScratchFolder({ after });
const service = await startService({ after }, { DATA_DIR: folder }, undefined, { pool: sharedPool() });
const measure = async (path: string, query: Record<string, string> = {}) =>
  (await ask<Result>(service, withQuery(path, { url: `${site.url}/`, categories: 'performance', ...query }))).body;
const measured = await measure('/lighthouse');
const id = measured.id ?? assert.fail('not stored');
/** The score of the load without a disturbance. */
const ownScore = toShown(measured, 'performance').value;
const whatIf = () => ask<WhatIf & Problem>(service, `/results/${id}/what-if`);
const { status, body } = await whatIf();

test('the first fix is the first finding of the result, with the same points', () => {
  const [first] = measured.findings ?? [];
  const [step] = body.fixes.steps;
  assert.equal(first?.category, 'performance');
  assert.equal(first?.is_simulated, true);
  assert.deepEqual([step?.id, step?.points], [first?.id, first?.points]);
  const tag = measured.findings?.find(({ id: found }) => found.startsWith('third-party:'));
  assert.ok((tag?.points ?? 0) >= 1, JSON.stringify(measured.findings));
  assert.match(tag?.files[0] ?? '', /tag\.js$/);
});

test('at the settings of the load, the cell and the base have exactly the score of the result', () => {
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.map.cells.length, 25);
  const own = body.map.cells.filter(({ is_own }) => is_own);
  assert.equal(own.length, 1);
  assert.deepEqual([own[0]?.score, body.map.own_score], [ownScore, ownScore]);
  assert.equal(body.base.score, ownScore);
  for (const name of [
    'first_contentful_paint',
    'largest_contentful_paint',
    'total_blocking_time',
    'speed_index',
  ] as const)
    assert.equal(body.base[name], Math.round(measured.metrics[name]?.value ?? assert.fail(name)), name);
});

/** Settings outside the map's cells, and those of a desktop. */
const settings: Readonly<Record<string, Record<string, string>>> = {
  'of PageSpeed Insights': { profile: 'psi' },
  'of a desktop': { strategy: 'desktop' },
  'calibrated by the speed of the machine': { cpu: 'calibrated' },
};
for (const [name, query] of Object.entries(settings))
  test(`settings ${name}: the score at the settings of the load is that of the result`, async () => {
    const result = await measure('/lighthouse', query);
    const { body: answer } = await ask<WhatIf>(service, `/results/${result.id}/what-if`);
    const { map, base } = answer;
    assert.equal(answer.settings.cpu_slowdown_multiplier, result.environment.cpu_slowdown_multiplier);
    assert.deepEqual([map.own_score, base.score], [result.scores.performance, result.scores.performance]);
    for (const { is_own, score } of map.cells) if (is_own) assert.equal(score, map.own_score);
  });

test('a slower device never scores more on a network, and the break points lie between cells', () => {
  for (const { name } of body.map.networks) {
    const scores = body.map.cells.filter(({ network }) => network === name).map(({ score }) => score);
    assert.deepEqual(
      scores,
      scores.toSorted((one, other) => other - one),
      name,
    );
  }
  const [high, low] = body.map.break_points;
  assert.deepEqual([high?.score, low?.score], [90, 50]);
  assert.ok((low?.slowest_cpu ?? 0) >= (high?.slowest_cpu ?? 0));
});

test('a third party is one entry with everything that it requested, and without it the page blocks less', () => {
  const [party, ...others] = body.third_parties.items;
  assert.deepEqual(others, []);
  assert.deepEqual([party?.name, party?.requests, party?.reason], ['localhost', 2, null]);
  assert.ok((party?.main_thread_ms ?? 0) > 600, `${party?.main_thread_ms} ms`);
  const blocking = party?.predicted?.without.total_blocking_time ?? assert.fail();
  assert.ok(blocking < body.base.total_blocking_time - 300, `${blocking} of ${body.base.total_blocking_time} ms`);
  assert.ok((party?.predicted?.points ?? 0) > 0);
});

test('a script that fetches content of the page is not predicted, with a reason', () => {
  const loader = body.scripts.items.find(({ name }) => name.endsWith('/loader.js'));
  assert.equal(loader?.predicted, null);
  assert.match(loader?.reason ?? '', /^Not predicted: it requests .*content\.json/);
});

test('a script that only wraps fetch is not taken for the cause of a request', () => {
  const wrapper = body.scripts.items.find(({ name }) => name.endsWith('/wrapper.js'));
  assert.deepEqual([wrapper?.requests, wrapper?.reason], [1, null]);
});

test('the fixes add up to one score, each with its addition', () => {
  const { steps, reachable } = body.fixes;
  assert.ok(
    steps.some(({ id: audit }) => audit === 'image-delivery-insight'),
    JSON.stringify(steps.map(step => step.id)),
  );
  assert.ok(reachable.values.score > body.base.score);
  const counted = steps.slice(0, reachable.fixes).reduce((sum, { points }) => sum + points, 0);
  assert.ok(Math.abs(counted - reachable.points) < 0.1 * steps.length);
  assert.equal(steps[reachable.fixes - 1]?.after.score, reachable.values.score);
});

test('an unmeasured error is null', () => {
  for (const { error } of [body.third_parties, body.scripts, body.map, body.fixes])
    assert.ok(error === null || error.pairs > 0);
});

test('the predictions of a calibrated load are not compared with loads that have the usual CPU throttling', async () => {
  const { id: calibrated } = await measure('/lighthouse', { cpu: 'calibrated', label: 'calibrated' });
  const { variants } = await startOnly(`/results/${calibrated}/what-if?confirm=1`);
  assert.match(variants[0]?.prediction.reason ?? '', /another CPU throttling than the loads of the experiment/);
});

test('a load without stored artifacts is a 410 with advice, and an unknown one a 404', async () => {
  const other = (await measure('/lighthouse', { label: 'without artifacts' })).id ?? assert.fail();
  rmSync(join(folder, 'artifacts', other), { recursive: true });
  const gone = await ask<Problem>(service, `/results/${other}/what-if`);
  assert.deepEqual([gone.status, gone.body.code], [410, 'artifacts_gone']);
  assert.match(gone.body.detail, /Measure the page again/);
  const unknown = await ask<Problem>(service, `/results/${id.slice(0, -4)}0000/what-if`);
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'result_not_found']);
});

test('repeated requests get the same answer', async () => {
  assert.deepEqual((await whatIf()).body, body);
});

/** Starts an experiment and cancels it before its loads, because the predictions are made first. */
async function startOnly(path: string, body?: unknown) {
  const init =
    body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const asked = await ask<ExperimentAnswer>(service, path, { method: 'POST', ...init });
  assert.equal(asked.status, 202, JSON.stringify(asked.body));
  await ask(service, `/jobs/${asked.body.id}`, { method: 'DELETE' });
  return asked.body;
}

test('an experiment has the prediction of a variant that blocks a third party or a script, else a reason', async () => {
  const { host } = new URL(elsewhere);
  const variants = [{ block: [host] }, { block: ['/app.js'] }, { block: ['.png'] }, { headers: { 'x-build': '2' } }];
  const { variants: answered } = await startOnly('/experiments', {
    url: `${site.url}/`,
    metric: 'total_blocking_time',
    variants,
  });
  const toDifference = (values: WhatIf['base'] | undefined) =>
    (values?.total_blocking_time ?? assert.fail()) - body.base.total_blocking_time;
  const [party] = body.third_parties.items;
  const script = body.scripts.items.find(({ name }) => name.endsWith('/app.js'));
  assert.deepEqual(
    answered.map(({ prediction }) => prediction),
    [
      { difference: toDifference(party?.predicted?.without), result: id, reason: null },
      { difference: toDifference(script?.predicted?.without), result: id, reason: null },
      {
        difference: null,
        result: id,
        reason: 'The blocked requests are not exactly those of one third party or script.',
      },
      { difference: null, result: null, reason: 'Only the effect of blocked requests is predicted.' },
    ],
  );
});

test('predictions of a load under conditions are not measured without them', async () => {
  const { body: blocked } = await post<Result>(service, '/lighthouse', {
    url: `${site.url}/`,
    categories: ['performance'],
    block: ['*/tag.js'],
  });
  const refused = await ask<Problem>(service, `/results/${blocked.id}/what-if?confirm=1`, { method: 'POST' });
  assert.deepEqual([refused.status, refused.body.code], [409, 'not_simulated']);
  assert.match(refused.body.detail ?? '', /had conditions \(.+\), which are not stored/);
});

test('a confirmation is an experiment of the most promising removals, each with its prediction', async () => {
  const { metric, variants, throttling_method } = await startOnly(`/results/${id}/what-if?confirm=2`);
  assert.deepEqual([metric, throttling_method], ['performance', 'simulate']);
  const [party] = variants;
  assert.deepEqual([party?.name, party?.block], ['without localhost', [`://${new URL(elsewhere).host}/`]]);
  assert.ok((party?.prediction.difference ?? 0) > 0, JSON.stringify(party));
  assert.ok(variants.length <= 2);
  const many = await ask<Problem>(service, `/results/${id}/what-if?confirm=6`, { method: 'POST' });
  assert.equal(many.status, 422);
});
