/** Very long words: from users, from pages and from services. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import { openPage, startBrowser } from './browser.ts';
import { buildFailedAudit, buildProblem } from './reports.ts';
import { comparison, richResult } from './sample-answers.ts';
import { type StubCall, startStubService } from './stub-service.ts';
import { assertFits, openFolds } from './widths.ts';

const browser = await startBrowser({ after });

const word = 'Zusammengesetztes'.repeat(20);
const url = `https://${'long-label.'.repeat(12)}example/${'a'.repeat(300)}?token=${'b'.repeat(300)}`;

const stretch = (result: Result): Result => ({
  ...result,
  url,
  final_url: `${url}#end`,
  warnings: [word],
  analyser: result.analyser.kind === 'local' ? result.analyser : { kind: 'custom', host: `${'h'.repeat(63)}.example` },
  failed_audits: [
    ...result.failed_audits,
    buildFailedAudit('long', { title: word, description: `${word} \`${word}\``, display_value: word }),
    buildFailedAudit('broken', { title: word, score: null, error_message: word }),
  ],
});

const compared = () => {
  const { psi, lighthouse, comparison: told, ...rest } = comparison();
  const cause = { cause: 'other', certainty: 'observed', explanation: word };
  const causes = [{ ...cause, evidence: [{ fact: word, psi: url, lighthouse: url }] }];
  return {
    ...rest,
    psi: stretch(psi),
    lighthouse: stretch(lighthouse),
    comparison: { ...told, causes, explanation: `${word}.` },
  };
};
const problem = buildProblem({ title: word, detail: word, code: 'c'.repeat(300) as never });
const pages = [url, `${url}&2`, `${url}&3`];
const entries = [stretch(richResult()), { url: pages[1], error: problem }, stretch(richResult())];

type Case = {
  readonly backend: string;
  readonly urls?: readonly string[];
  readonly shows: string;
  readonly answer: (call: StubCall) => void;
};
const cases: Readonly<Record<string, Case>> = {
  result: { backend: 'remote', shows: '.column .fixes', answer: call => call.json(stretch(richResult())) },
  comparison: { backend: 'compare', shows: '.compared .fixes', answer: call => call.json(compared()) },
  problem: { backend: 'local', shows: '.failure', answer: call => call.json(problem, 502) },
  refusal: {
    backend: 'local',
    shows: '.failure',
    answer: call => call.json({ detail: [{ loc: ['query', 'url'], msg: word, type: word }] }, 422),
  },
  wait: {
    backend: 'local',
    shows: '.lane',
    answer: call => call.event('started', { source: 'lighthouse', strategy: 'mobile' }),
  },
  list: {
    backend: 'remote',
    urls: pages,
    shows: 'th[aria-sort]',
    answer: call => call.json({ results: entries, total: 3, succeeded: 2, failed: 1 }),
  },
};

for (const [name, { backend, urls = [url], shows, answer }] of Object.entries(cases))
  test(`very long words in a ${name} cause no horizontal scrolling`, async t => {
    const service = await startStubService(t, answer);
    const page = await openPage(t, browser);
    const query = new URLSearchParams([...urls.map((each): [string, string] => ['url', each]), ['backend', backend]]);
    await page.goto(`${service.url}/?${query}`);
    await page.locator(shows).first().waitFor();
    for (const button of await page.locator('.more:enabled').all()) await button.click();
    await openFolds(page);
    await assertFits(page);
    assert.deepEqual(page.faults, []);
  });

test('a long URL fits while it is typed', async t => {
  const service = await startStubService(t, () => {});
  const page = await openPage(t, browser);
  await page.goto(service.url);
  for (const address of ['https://www.example.com/articles/2026/11/how_we_measured_it.html', url]) {
    await page.getByLabel('Page URL').fill(address);
    await assertFits(page);
  }
});
