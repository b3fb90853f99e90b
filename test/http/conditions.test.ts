/** The doors of conditions: each request takes them, or refuses them with the reason before anything is sent. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, post } from '../support/asking/ask.ts';
import { startService } from '../support/start-service.ts';

type Refusal = { detail: { loc: unknown[]; msg: string }[] };

const psi = await startFakePsi({ after });
const service = await startService({ after }, { PSI_ENDPOINT: psi.endpoint });
const url = 'https://www.example.com/';
const conditions = {
  access: { headers: { 'X-Staging': 'secret-Sentinel' } },
  block: ['/ads/*'],
  hosts: { 'www.example.com': '93.184.216.34' },
  certificates: { ignore_errors: true },
};

async function refused(path: string, body: object): Promise<string[]> {
  const { status, body: answer } = await post<Refusal>(service, path, body);
  assert.equal(status, 422, JSON.stringify(answer));
  assert.doesNotMatch(JSON.stringify(answer), /secret-Sentinel/);
  return answer.detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`);
}

const elsewhere = /PageSpeed Insights loads the page itself, without this condition: measure with `lighthouse`$/;

test('a comparison with another PSI server, and PageSpeed Insights, refuse each condition, and nothing is sent', async () => {
  for (const [name, value] of Object.entries(conditions))
    for (const path of ['/compare', '/psi']) {
      const [fault = '', ...others] = await refused(path, { url, [name]: value });
      assert.match(fault, new RegExp(`^body\\.${name}: `), path);
      assert.match(fault, elsewhere);
      assert.deepEqual(others, []);
    }
  assert.equal(psi.calls.all.length, 0);
});

test('a condition in a query is refused, because it would be without effect or in a log', async () => {
  for (const path of ['/lighthouse', '/compare', '/psi', '/lighthouse/report'])
    for (const name of Object.keys(conditions)) {
      const { status, body } = await ask<Refusal>(service, `${path}?url=${url}&${name}=secret-Sentinel`);
      assert.equal(status, 422, `${path} ${name}`);
      assert.deepEqual(
        body.detail.map(({ loc, msg }) => [loc.join('.'), msg]),
        [[`query.${name}`, 'Value error, this belongs in the body of a POST, never in a URL']],
      );
    }
  assert.equal(psi.calls.all.length, 0);
});

test('a job with an entry that is no URL, and patterns that are no text, is refused with their places', async () => {
  const job = { kind: 'lighthouse', block: ['/ads/*'] };
  for (const entry of [7, 'not a url'])
    assert.match((await refused('/jobs', { ...job, urls: [entry] })).join(), /^body\.urls\.0: /);
  assert.match((await refused('/jobs', { ...job, urls: [url], block: [5] })).join(), /^body\.block\.0: /);
});

test('a schedule and an experiment check their conditions as a measurement does', async () => {
  const schedule = { urls: [url], interval: 'P1D', kind: 'lighthouse' };
  const variants = [{ block: ['/other/*'] }];
  for (const [path, body] of [
    ['/schedules', schedule],
    ['/experiments', { url, variants }],
  ] as const) {
    assert.match((await refused(path, { ...body, block: ['*'] })).join(), /body\.block\.0: .* matches every URL/);
    const hosts = { 'www.example.com': '169.254.169.254' };
    assert.match((await refused(path, { ...body, hosts })).join(), /body\.hosts\.www\.example\.com: .* metadata/);
    for (const wrong of [{ hosts: { 'www.example.com': 7 } }, { block: 'ads' }, { certificates: { client: {} } }])
      assert.match((await refused(path, { ...body, ...wrong })).join(), /^body\.(hosts|block|certificates)/);
  }
  assert.match((await refused('/schedules', { ...schedule, kind: 'psi', block: ['/ads/*'] })).join(), elsewhere);
  const { status, body } = await post<{ id: string; conditions: string }>(service, '/schedules', {
    ...schedule,
    block: ['/ads/*'],
  });
  assert.ok(status === 201 || status === 200, JSON.stringify(body));
  assert.match(body.conditions, /^block-[0-9a-f]{10}$/);
});
