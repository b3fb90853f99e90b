/** Conditions of a load, as a client asks for them: real audits of a site of this test. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import type { ResultsComparison } from '../../src/contract/stored/change.ts';
import type { History } from '../../src/contract/stored/history.ts';
import type { Sites } from '../../src/contract/stored/sites.ts';
import type { Lhr } from '../../src/measure/lhr/lhr.ts';
import { ask, post, withQuery } from '../support/asking/ask.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { daysFromNow, startSecureServer } from '../support/sites/secure-server.ts';
import { startService } from '../support/start-service.ts';

const page = `<!doctype html><html lang="en"><title>Conditions</title><meta name="viewport" content="width=device-width">
<h1>Conditions</h1><img src="/ads/banner.png" alt="" width="10" height="10"><script src="/app.js"></script>`;

async function startSite(t: TestContext) {
  const asked: string[] = [];
  const hosts: (string | undefined)[] = [];
  const { url } = await startLocalServer(t, ({ url: path = '', headers }, response) => {
    asked.push(path);
    hosts.push(headers.host);
    response.writeHead(200, { 'content-type': path === '/' ? 'text/html; charset=utf-8' : 'text/javascript' });
    response.end(path === '/' ? page : '');
  });
  return { url: `${url}/`, asked, hosts };
}

const quick = { categories: ['performance'] };

test('blocked URLs are not loaded, and the result says what was blocked', async t => {
  const site = await startSite(t);
  const service = await startService(t);
  const block = ['/ads/*.png', '*://nobody.example.net/*'];
  const { status, body } = await post<Result>(service, '/lighthouse', { url: site.url, ...quick, block });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body.conditions?.block, [
    { pattern: '*://nobody.example.net/*', requests: 0 },
    { pattern: '/ads/*.png', requests: 1 },
  ]);
  assert.match(body.conditions?.id ?? '', /^block-[0-9a-f]{10}$/);
  assert.ok(site.asked.includes('/app.js'));
  assert.ok(!site.asked.includes('/ads/banner.png'));
  const plain = await ask<Result>(service, `/lighthouse?url=${site.url}&categories=performance`);
  assert.equal(plain.body.conditions, undefined);
  assert.ok(site.asked.includes('/ads/banner.png'));
});

test('a host is measured at another address under its own name', async t => {
  const site = await startSite(t);
  const { port } = new URL(site.url);
  const service = await startService(t, { TARGETS: 'any' });
  const hosts = { 'WWW.example.com': `127.0.0.1:${port}`, 'unused.example.net': '127.0.0.1' };
  const { status, body } = await post<Result>(service, '/lighthouse', {
    ...{ url: 'http://www.example.com/', hosts },
    ...quick,
  });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.final_url, 'http://www.example.com/');
  assert.deepEqual(body.conditions?.hosts, hosts);
  assert.deepEqual(new Set(site.hosts), new Set(['www.example.com']));
});

test('an address that TARGETS refuses is refused for a mapped host too', async t => {
  const service = await startService(t, { TARGETS: 'public' });
  const refuse = async (hosts: object, url = 'http://www.example.com/') => {
    const { status, body } = await post<{ detail: { loc: string[]; msg: string }[] }>(service, '/lighthouse', {
      ...{ url, hosts },
    });
    assert.equal(status, 422, JSON.stringify(hosts));
    return body.detail.map(({ loc, msg }) => `${loc.at(-1)}: ${msg}`).join(' ');
  };
  assert.match(await refuse({ 'www.example.com': '169.254.169.254' }), /metadata/);
  assert.match(await refuse({ 'www.example.com': '10.0.0.5:8443' }), /which the TARGETS setting does not allow/);
  assert.match(await refuse({ 'cdn.example.net': '[::1]:80' }), /cdn.example.net: .* loopback/);
  assert.match(await refuse({ 'www.example.com': 'metadata.google.internal' }), /metadata/);
  assert.match(await refuse({ 'www.example.com': '93.184.216.34:22' }), /Port 22/);
  assert.match(await refuse({ 'www.example.com': 'http://10.0.0.5/' }), /must be an IP address or a host name/);
  assert.match(await refuse({ 'www.example.com': '93.184.216.34:99999' }), /must be an IP address or a host name/);
  assert.match(await refuse({ '10.0.0.1': '93.184.216.34' }), /not a host name/);
  assert.match(await refuse({ 'a.example.com': '93.184.216.34', 'A.example.com': '93.184.216.35' }), /already/);
});

const secure = (third: string) => `<!doctype html><html lang="en"><title>Staging</title>
<meta name="viewport" content="width=device-width"><h1>Staging</h1><script src="${third}"></script>`;

test('a CA of its own is trusted by one load, for the page and its mapped names only', async t => {
  const third = await startSecureServer(t, '');
  const names = {
    altNames: [{ type: 2 as const, value: 'shop.example.com' }],
    from: daysFromNow(-1),
    until: daysFromNow(9),
  };
  const site = await startSecureServer(t, secure(third.url), names);
  const service = await startService(t, { TARGETS: 'any' });
  const measure = (fields: object) =>
    post<Result & { code?: string }>(service, '/lighthouse', {
      ...{ url: 'https://shop.example.com/', hosts: { 'shop.example.com': `127.0.0.1:${site.port}` } },
      ...{ categories: ['performance', 'best-practices'], ...fields },
    });
  const { status, body } = await measure({ certificates: { ca: site.certificate } });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body.conditions?.certificates?.ca, [new X509Certificate(site.certificate).fingerprint256]);
  assert.doesNotMatch(JSON.stringify(body.conditions), /BEGIN/);
  assert.equal(body.final_url, 'https://shop.example.com/');
  // The third party has another CA.
  const requests = (body.lighthouse_result as Lhr).audits['network-requests'] as unknown as {
    details: { items: { url: string; statusCode: number }[] };
  };
  assert.deepEqual(
    requests.details.items.filter(({ statusCode }) => statusCode === 200).map(({ url }) => url),
    ['https://shop.example.com/'],
  );
  // The next load, another CA, and a name that the certificate lacks are not trusted.
  for (const certificates of [undefined, { ca: third.certificate }])
    assert.equal((await measure({ certificates })).body.code, 'page_insecure');
  const other = { url: 'https://other.example.com/', hosts: { 'other.example.com': `127.0.0.1:${site.port}` } };
  assert.equal((await measure({ ...other, certificates: { ca: site.certificate } })).body.code, 'page_insecure');
  const ignoring = await measure({ ...other, certificates: { ignore_errors: true } });
  assert.equal(ignoring.status, 200, JSON.stringify(ignoring.body));
  assert.deepEqual(ignoring.body.conditions?.certificates, { ignore_errors: true });
  // A login opens the same site before its load.
  const steps = [{ type: 'navigate', url: 'https://shop.example.com/' }];
  const access = { login: { steps }, expect: { url: '/' } };
  const loggedIn = await measure({ certificates: { ca: site.certificate }, access });
  assert.equal(loggedIn.status, 200, JSON.stringify(loggedIn.body));
});

test('bad conditions are one 422 that names each, and nothing is loaded', async t => {
  const site = await startSite(t);
  const service = await startService(t);
  const refused = async (fields: object) => {
    const { status, body } = await post<{ detail: { loc: unknown[]; msg: string }[] }>(service, '/lighthouse', {
      url: site.url,
      ...fields,
    });
    assert.equal(status, 422, JSON.stringify(fields));
    return body.detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`);
  };
  assert.deepEqual(await refused({ block: ['*', site.url, 'a\0b'] }), [
    'body.block.0: Value error, this pattern matches every URL: name a host or a path',
    'body.block.1: Value error, this pattern matches the page itself',
    'body.block.2: Value error, it must not contain U+0000 or half of a surrogate pair',
  ]);
  assert.deepEqual(await refused({ block: 'ads' }), ['body.block: Input should be a valid list']);
  assert.deepEqual(await refused({ block: ['x'.repeat(501)] }), [
    'body.block.0: String should have at most 500 characters',
  ]);
  assert.deepEqual(await refused({ block: Array(51).fill('/ads/') }), [
    'body.block: List should have at most 50 items after validation, not 51',
  ]);
  const noPem = ['body.certificates.ca: Value error, it must be one or more certificates in PEM form, without a key'];
  const key = '-----BEGIN PRIVATE KEY-----\nMC4=\n-----END PRIVATE KEY-----';
  for (const ca of ['garbage', key, '-----BEGIN CERTIFICATE-----\nMC4=\n-----END CERTIFICATE-----'])
    assert.deepEqual(await refused({ certificates: { ca } }), noPem);
  const [client = ''] = await refused({ certificates: { client: {} } });
  assert.match(client, /^body\.certificates\.client: Extra inputs are not permitted/);
  const [long = ''] = await refused({ hosts: { [`${'a'.repeat(50_000)}.example`]: '127.0.0.1' } });
  assert.match(long, /: Value error, this is not a host name$/);
  const cookie = { name: 'a', value: 'b', sameSite: 'no_restriction', storeId: '0' };
  assert.deepEqual(await refused({ access: { cookies: [cookie] } }), [
    'body.access.cookies.0.storeId: Value error, there is no such field',
    'body.access.cookies.0.sameSite: Value error, it must be one of Strict, Lax, None',
  ]);
  const unknown = await refused({ blok: ['/ads/'], cookies: [] });
  assert.deepEqual(
    unknown.map(fault => fault.replace(/ The fields are .*/, '')),
    [
      'body.blok: Extra inputs are not permitted. Did you mean `block`?',
      'body.cookies: Extra inputs are not permitted.',
    ],
  );
  assert.deepEqual(site.asked, []);
});

test('results under different conditions are different pages, and have no verdict', async t => {
  const site = await startSite(t);
  const service = await startService(t, { DATA_DIR: makeScratchFolder(t) });
  const measure = async (conditions: object) => {
    const { status, body } = await post<Result>(service, '/lighthouse', { url: site.url, ...quick, ...conditions });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const [plain, blocked] = [await measure({}), await measure({ block: ['/ads/'] })];
  const id = blocked.conditions?.id ?? assert.fail();
  const { body: sites } = await ask<Sites>(service, '/sites');
  assert.deepEqual(
    sites.pages.map(({ conditions, last }) => [conditions, last?.id]),
    [
      [id, blocked.id],
      [null, plain.id],
    ],
  );
  const pointsOf = async (query: Record<string, string>) =>
    (await ask<History>(service, withQuery('/history', { url: site.url, ...query }))).body.points.map(
      point => point.id,
    );
  assert.deepEqual(await pointsOf({}), [plain.id]);
  assert.deepEqual(await pointsOf({ conditions: id }), [blocked.id]);
  const compared = `/compare-results?before=${plain.id}&after=${blocked.id}`;
  const { verdict, differences } = (await ask<ResultsComparison>(service, compared)).body;
  assert.equal(verdict.status, 'undecided');
  assert.match(verdict.explanation, /not measured under the same conditions \(conditions: none → block-/);
  assert.deepEqual(differences[0], { name: 'conditions', before: ['none'], after: [id], effect: 'no_verdict' });
});
