/** `kill -9` of the service as soon as an answer has been read: after a restart every link in the answer works. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { withQuery } from '../support/asking/ask.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startPages } from '../support/sites/pages.ts';
import { startListening, withoutBrowser } from '../support/start-process.ts';
import type { Scope } from '../support/start-service.ts';

const fake = await startFakePsi({ after });
const pages = await startPages({ after });

type Links = Readonly<Record<string, string>>;

/** The links of an answer by name, including those of its parts, such as the sides of a comparison. */
function findLinks(body: unknown): [string, string][] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    name === 'links' ? Object.entries(value as Links) : findLinks(value),
  );
}

/** @returns the links of the answer after which the service was killed */
async function killAfterAnswer(
  scope: Scope,
  environment: Record<string, string>,
  target: string,
  headers: Record<string, string> = {},
): Promise<[string, string][]> {
  const { url, child, exited } = await startListening(scope, { environment });
  const text = await (await fetch(url + target, { headers })).text();
  child.kill('SIGKILL');
  await exited;
  return findLinks(JSON.parse(text));
}

/** Does not wait for the end of the answer, because a stream may go on. */
async function statusOf(url: string): Promise<number> {
  const answer = await fetch(url);
  await answer.body?.cancel();
  return answer.status;
}

const withHeader = { prefer: 'respond-async' };
const psi = withQuery('/psi', { url: 'https://example.com/', strategy: 'mobile' });
const answers: readonly (readonly [string, string, readonly string[], Record<string, string>?])[] = [
  ['a local audit', '/lighthouse', ['self', 'report', 'screenshot', 'trace', 'network_log']],
  ['a comparison', '/compare', ['self', 'report', 'trace', 'network_log']],
  ['a failure of the page', '/lighthouse', ['self']],
  ['a remote result', psi, ['self', 'report']],
  ['a job', psi, ['self', 'events'], withHeader],
];

for (const [what, path, names, headers] of answers)
  test(`every link of ${what} works even if the service is killed right after the answer`, async t => {
    const dataDir = makeScratchFolder(t);
    const settings = { DATA_DIR: dataDir, PSI_ENDPOINT: fake.endpoint, TARGETS: 'any' };
    const isLocal = path !== psi;
    const page = `${pages.url}${what.startsWith('a failure') ? '/404' : '/good'}`;
    const target = isLocal ? withQuery(path, { url: page, strategy: 'mobile' }) : path;
    const environment = isLocal ? settings : { ...settings, ...withoutBrowser };
    const links = await killAfterAnswer(t, environment, target, headers);
    assert.deepEqual(
      names.filter(name => !links.some(([other]) => other === name)),
      [],
    );
    const again = await startListening(t, { environment: { ...settings, ...withoutBrowser } });
    for (const [name, link] of links) assert.equal(await statusOf(again.url + link), 200, `${name}: ${link}`);
  });
