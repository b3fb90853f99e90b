/** A user name or password in a URL is refused, and is not echoed, logged or stored, however it comes in. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLog } from '../../src/telemetry/log.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { withQuery } from '../support/asking/ask.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';

const secret = 'swordfish';

/** Spellings that a person, a program or an attacker may use. */
const spellings = [
  `https://admin:${secret}@example.com/`,
  `https://admin:${secret}@example.com/@x?q=@y`,
  `http://${secret}@10.0.0.1/`,
  `HTTPS://admin:${secret}@example.com`,
  `https:/admin:${secret}@example.com/`,
  `https:admin:${secret}@example.com/`,
  `//admin:${secret}@example.com/`,
  `admin:${secret}@example.com`,
  `ftp://admin:${secret}@example.com/`,
  `https:\\\\admin:${secret}@example.com\\`,
  ` https://admin:${secret}@example.com/ a`,
  `https://admin:a/${secret}@example.com/`,
  `https://admin:a?${secret}@example.com/`,
  `https://admin:a#${secret}@example.com/`,
  `https://admin:${secret}%40example.com/`,
  `https://admin:a@${secret}@example.com/`,
  `https://admin:${secret}@`,
  `https://admin:${secret}@example.com:99999/`,
  `https://admin:1/${secret}@example.com/`,
];

test('the password of a URL is in no answer, log line or file', async t => {
  const fake = await startFakePsi(t);
  const dataDir = makeScratchFolder(t);
  const lines: string[] = [];
  const log = createLog('trace', [], { write: line => void lines.push(line) });
  const environment = {
    PSI_ENDPOINT: fake.endpoint,
    DATA_DIR: dataDir,
    DEBUG_HEADERS: 'on',
    CALLBACK_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}`,
  };
  const service = await startService(t, environment, undefined, { log });
  const answers: string[] = [];
  const send = async (target: string, init: RequestInit = {}) => {
    const response = await fetch(service.url + target, init);
    answers.push(JSON.stringify([...response.headers]), await response.text());
    return response;
  };
  const post = (target: string, body: unknown, headers: Record<string, string> = {}) =>
    send(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  for (const url of spellings)
    for (const path of [
      '/psi',
      '/lighthouse',
      '/compare',
      '/sitemap',
      '/history',
      '/results',
      '/psi/report',
      '/pagespeedonline/v5/runPagespeed',
    ]) {
      const { status } = await send(withQuery(path, { url }));
      assert.ok(status === 422 || status === 400, `${path} ${url}: ${status}`);
    }
  const urls = [...spellings, 'https://example.com/'];
  for (const accept of ['application/json', 'application/x-ndjson', 'text/event-stream'])
    assert.equal((await post('/psi', { urls, strategy: 'mobile' }, { accept })).status, 200);
  const job = await post('/psi', { urls, strategy: 'mobile' }, { prefer: 'respond-async' });
  assert.equal(job.status, 202);
  const path = job.headers.get('location') ?? '';
  await send(`${path}/events`);
  await send(path);
  for (const url of spellings) {
    const callback = { prefer: 'respond-async' };
    assert.equal((await post('/psi', { url: 'https://example.com/', callback: url }, callback)).status, 422, url);
    assert.equal((await post('/schedules', { urls: [url], interval: '1d' })).status, 422, url);
  }
  await send('/nowhere', { headers: { referer: `https://admin:${secret}@example.com/` } });
  await service.close(0);

  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
  const stored = files.map(file => readFileSync(join(file.parentPath, file.name), 'latin1'));
  assert.ok(stored.join('').includes('https://example.com/'), 'the store was read');
  for (const [name, texts] of Object.entries({
    answers,
    lines,
    stored,
    calls: fake.calls.all.map(call => call.params.toString()),
  })) {
    const text = texts.join('\n');
    const at = text.indexOf(secret);
    assert.ok(at < 0, `${name}: …${text.slice(Math.max(0, at - 300), at + 100)}`);
  }
});
