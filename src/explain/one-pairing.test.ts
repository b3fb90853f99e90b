/** Every part that compares two loads takes the same files for the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildAudit, buildLhr } from '../../test/support/builders/lhr.ts';
import { buildFacts, buildFile, pageUrl } from '../../test/support/builders/load-facts.ts';
import { toSideFacts } from '../measure/lhr/facts/side-facts.ts';
import type { Lhr } from '../measure/lhr/lhr.ts';
import { isOneSided, toRequestPairs, toRequests } from '../presentation/full-result/requests.ts';
import { toListedChanges, toRequestChanges } from './change/request-changes.ts';
import { findChanges } from './change/shared-conditions/judge-alike.ts';
import { toLoadPair } from './compare/same-page/load-pair.ts';

type Request = { readonly file: string; readonly bytes?: number; readonly status?: number };

const urlOf = ({ file }: Request): string => URL.parse(file, pageUrl)?.href ?? '';

const toLhr = (requests: readonly Request[]): Lhr =>
  buildLhr({
    finalDisplayedUrl: pageUrl,
    audits: [
      buildAudit('network-requests', {
        details: {
          items: [{ file: '', bytes: 5000, status: 200 }, ...requests].map((request, at) => ({
            url: urlOf(request),
            resourceType: request.file === '' ? 'Document' : 'Script',
            statusCode: request.status ?? 200,
            transferSize: request.bytes ?? 20_000,
            resourceSize: request.bytes ?? 20_000,
            networkRequestTime: at,
            networkEndTime: at + 10,
          })),
        },
      }),
    ],
  });

/** Facts as the worker reads them: the requests for one URL without its query are one file. */
const toFacts = (requests: readonly Request[]) => {
  const groups = Map.groupBy(requests, request => urlOf(request).split('?', 1)[0] ?? '');
  const files = [...groups].map(([url, of]) => {
    const bytes = of.reduce((sum, request) => sum + (request.bytes ?? 20_000), 0);
    return [url, buildFile({ type: 'Script', requests: of.length, bytes, resourceBytes: bytes })];
  });
  return { facts: { ...buildFacts(), files: Object.fromEntries(files) }, cpuFactor: 1 };
};

const nameOf = (url: string): string => url.replace(/^https?:\/\//, '').replace(/^example\.com\//, '');
const sort = (urls: readonly string[]): string[] => [...new Set(urls.map(nameOf))].sort();

/** Files that only one side has, by each part that compares loads. */
function toOneSided(before: readonly Request[], after: readonly Request[]): Record<string, string[]> {
  const [one, other] = [toLhr(before), toLhr(after)];
  const { onlyOn } = toLoadPair(toSideFacts(one, 'mobile'), toSideFacts(other, 'mobile'), true);
  const requests = toRequestChanges(one, other);
  const changed = findChanges({ before: [toFacts(before)], after: [toFacts(after)] }).files;
  const isWhole = ({ kind }: { kind: string }) => kind === 'added' || kind === 'removed';
  const pairs = toRequestPairs(toRequests(one), toRequests(other));
  const paired = new Set(pairs.filter(pair => !isOneSided(pair)).flatMap(({ psi, lighthouse }) => [psi, lighthouse]));
  const hasCounterpart = (url: string) => [...paired].some(row => row?.url === url);
  const rows = pairs.filter(isOneSided).map(({ psi, lighthouse }) => (psi ?? lighthouse)?.url ?? '');
  return {
    'causes of /compare': sort([...onlyOn.psi, ...onlyOn.lighthouse].map(({ place }) => place)),
    'verdict under the same conditions': sort(changed.filter(isWhole).map(({ url }) => url)),
    'verdict by measured values': sort(
      toListedChanges(one, other)
        .filter(isWhole)
        .map(({ url }) => url),
    ),
    'list of changed requests': sort([...(requests?.added ?? []), ...(requests?.removed ?? [])].map(({ url }) => url)),
    // The table has a row for each request; a further request of a paired file is not another file.
    'table of requests': sort(rows.filter(url => !hasCounterpart(url))),
  };
}

type Case = {
  readonly name: string;
  readonly before: readonly Request[];
  readonly after: readonly Request[];
  readonly oneSided?: readonly string[];
  /** Redirects, which `/compare` does not count as files. */
  readonly redirects?: readonly string[];
};

const cases: readonly Case[] = [
  {
    name: 'a bundle that a build renamed',
    before: [{ file: 'app.3f2a.js' }],
    after: [{ file: 'app.9bc1.js', bytes: 90_000 }],
  },
  {
    name: 'a bundle with a longer hash than before',
    before: [{ file: 'app.3f2ab9c1.js' }],
    after: [{ file: 'app.9bc1d2e3f405.js' }],
  },
  {
    name: 'a URL that one side requested twice',
    before: [{ file: 'a.js' }],
    after: [{ file: 'a.js' }, { file: 'a.js' }],
  },
  { name: 'another query', before: [{ file: 'a.js?v=1' }], after: [{ file: 'a.js?v=2' }] },
  {
    name: 'a file behind a redirect on one side',
    before: [{ file: 'old.js', bytes: 300, status: 301 }, { file: 'new.js' }],
    after: [{ file: 'new.js' }],
    redirects: ['old.js'],
  },
  {
    name: 'a redirect to the same URL, which sets a cookie',
    before: [{ file: 'a.js', bytes: 300, status: 302 }, { file: 'a.js' }],
    after: [{ file: 'a.js' }],
  },
  {
    name: 'a renamed file behind a redirect on both sides',
    before: [{ file: 'lib.js', bytes: 300, status: 302 }, { file: 'lib.8f3a2b1c.js' }],
    after: [{ file: 'lib.js', bytes: 300, status: 302 }, { file: 'lib.0c11d2ef.js' }],
  },
  {
    name: 'a file from another mirror',
    before: [{ file: 'https://img1.cdn.example/a.js' }],
    after: [{ file: 'https://img2.cdn.example/a.js' }],
  },
  {
    name: 'a file of one side, and one of the other',
    before: [{ file: 'summer.js' }],
    after: [{ file: 'winter.js' }],
    oneSided: ['summer.js', 'winter.js'],
  },
];

for (const { name, before, after, oneSided = [], redirects = [] } of cases)
  test(`all parts agree which files are the same: ${name}`, () => {
    for (const [part, found] of Object.entries(toOneSided(before, after)))
      assert.deepEqual(found, part === 'causes of /compare' ? oneSided : [...oneSided, ...redirects].sort(), part);
  });
