/**
 * Requests as clients of PSI v5 write them, from their source code and from recorded traffic, with a page that is
 * blocked.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { PsiQuestion } from '../../src/analysis/answer-as-psi.ts';
import { readPsiQuestion } from '../../src/http/input/read-psi-query.ts';
import { jsonOf, sendRaw } from '../support/asking/raw-request.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after }, { TARGETS: 'public' });
const path = '/pagespeedonline/v5/runPagespeed';
const allFour = ['performance', 'accessibility', 'best-practices', 'seo'] as const;

/** The page is in a private network, so it is blocked before any work, but after the whole request was parsed. */
const page = 'http://10.0.0.1/';

const lines: Record<string, { target: string; headers?: string[]; question: Partial<PsiQuestion> }> = {
  'Lighthouse CI': {
    target: `${path}?url=http%3A%2F%2F10.0.0.1%2F&locale=en_US&strategy=mobile&key=K&category=performance&category=accessibility&category=best-practices&category=seo`,
    question: { strategy: 'mobile', categories: allFour, locale: 'en-US' },
  },
  'the googleapis client of Node': {
    target: `${path}?url=http%3A%2F%2F10.0.0.1%2F&category=PERFORMANCE&category=BEST_PRACTICES&strategy=DESKTOP&key=K`,
    headers: ['x-goog-api-client: gdcl/8.0.3 gl-node/24.21.0', 'Accept-Encoding: gzip'],
    question: { strategy: 'desktop', categories: ['performance', 'best-practices'] },
  },
  'the client of Go': {
    target: `${path}?alt=json&category=performance&category=seo&prettyPrint=false&strategy=mobile&url=http%3A%2F%2F10.0.0.1%2F`,
    headers: ['X-Goog-Api-Client: gl-go/1.24.0 gdcl/0.2'],
    question: { strategy: 'mobile', categories: ['performance', 'seo'] },
  },
  'the client of Python': {
    target: `${path}?url=http%3A%2F%2F10.0.0.1%2F&strategy=MOBILE&category=ACCESSIBILITY&key=K&alt=json`,
    question: { strategy: 'mobile', categories: ['accessibility'] },
  },
  psi: {
    target: `${path}?nokey=true&strategy=mobile&format=cli&locale=en_US&threshold=70&url=http%3A%2F%2F10.0.0.1%2F`,
    question: { strategy: 'mobile', categories: ['performance'], locale: 'en-US' },
  },
  'pagespeed-score': {
    target: `${path}/?url=http%3A%2F%2F10.0.0.1%2F%23173218800&strategy=mobile`,
    question: { url: `${page}#173218800`, strategy: 'mobile' },
  },
  'a PHP query builder with the categories behind it': {
    target: `${path}?url=http%3A%2F%2F10.0.0.1%2F&strategy=mobile&key=K&locale=de_DE&category=PERFORMANCE&category=ACCESSIBILITY&category=BEST_PRACTICES&category=SEO`,
    question: { strategy: 'mobile', categories: allFour, locale: 'de-DE' },
  },
  "Python's quote, which leaves slashes alone": {
    target: `${path}?url=http%3A//10.0.0.1/&strategy=mobile`,
    question: { strategy: 'mobile' },
  },
  'a tool for screenshots': {
    target: `${path}?screenshot=true&strategy=desktop&url=http://10.0.0.1/`,
    question: { strategy: 'desktop' },
  },
  'a client from the time of PWA, with an ampersand left over': {
    target: `${path}?url=http://10.0.0.1/&key=K&strategy=mobile&category=performance&category=pwa&`,
    question: { strategy: 'mobile', categories: ['performance'], isPwaAsked: true },
  },
  'a page that is not percent-encoded': {
    target: `${path}?url=http://10.0.0.1/&category=performance`,
    question: { categories: ['performance'] },
  },
  'names joined by commas, and a plus for a space': {
    target: `${path}?url=http://10.0.0.1/&category=PERFORMANCE,+ACCESSIBILITY,+BEST_PRACTICES,+SEO&strategy=Mobile`,
    question: { strategy: 'mobile', categories: allFour },
  },
  'a score and nothing else': {
    target: `${path}?url=http://10.0.0.1/&key=K&fields=lighthouseResult%2Fcategories%2F*%2Fscore`,
    question: {
      fields: new Map([['lighthouseResult', new Map([['categories', new Map([['*', new Map([['score', 'all']])]])]])]]),
    },
  },
};

for (const [client, { target, headers = [], question }] of Object.entries(lines))
  test(`the request of ${client} is understood`, async () => {
    const read = readPsiQuestion(new URLSearchParams(target.slice(target.indexOf('?'))));
    assert.deepEqual({ ...read, ...question }, read);
    assert.ok(read.url.startsWith(page));

    const answer = await sendRaw(service, { target, headers });
    const { error } = jsonOf<{ error: { code: number; errors: { reason: string }[] } }>(answer);
    assert.deepEqual([answer.status, error.code, error.errors[0]?.reason], [403, 403, 'target_forbidden']);
  });
