import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSide } from '../../../../test/support/builders/side.ts';
import { type SideFacts, toSideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { toPageSizes } from './page-sizes.ts';
import { judgePage } from './same-page.ts';

const factsOf = (fields: Partial<SideFacts>): SideFacts => ({ ...toSideFacts(buildSide().lhr, 'mobile'), ...fields });
const judge = (psi: Partial<SideFacts>, lighthouse: Partial<SideFacts>) =>
  judgePage({
    psi: { ...factsOf(psi), where: 'on Google' },
    lighthouse: [{ ...factsOf(lighthouse), where: 'in local Lighthouse' }],
  });
const factsIn = (cause: ReturnType<typeof judge>) => cause?.evidence.map(({ fact }) => fact);

test('the same page is not a cause', () => {
  assert.equal(judge({}, {}), undefined);
});

test('a different URL, status or document is a different page', () => {
  const pairs: [Partial<SideFacts>, Partial<SideFacts>, string][] = [
    [{ finalUrl: 'https://example.com/login' }, {}, 'final_url'],
    [{ statusCode: 203 }, { statusCode: 200 }, 'status_code'],
    [{ documentBytes: 900 }, { documentBytes: 20_000 }, 'document_bytes'],
    [{ documentBytes: 0 }, { documentBytes: 2000 }, 'document_bytes'],
  ];
  for (const [psi, lighthouse, fact] of pairs) {
    const cause = judge(psi, lighthouse);
    assert.deepEqual([cause?.cause, cause?.certainty, factsIn(cause)], ['different_page', 'observed', [fact]]);
    assert.equal(cause?.points, null);
  }
});

test('a slash, a session id or a redirect leads to the same URL', () => {
  const ended = (finalUrl: string) => judge({ finalUrl }, { finalUrl: 'https://example.com/shop/?sid=1' });
  assert.equal(ended('https://example.com/shop?sid=2'), undefined);
  assert.equal(ended('https://example.com/shop/?region=us')?.certainty, 'possible');
  assert.equal(ended('http://example.com/shop/?sid=1')?.certainty, 'observed');
  assert.match(
    judge({ redirects: 0 }, { redirects: 2 })?.explanation ?? '',
    /the page loaded after no redirect on Google and 2 redirects in local Lighthouse\.$/,
  );
});

test('a document that only one side compresses is reported', () => {
  const packed = (documentTransferred: number | null) => ({ documentBytes: 140_000, documentTransferred });
  assert.match(
    judge(packed(22_000), packed(140_300))?.explanation ?? '',
    /: the document transferred 22 kB on Google and 140 kB in local Lighthouse\.$/,
  );
  assert.equal(judge(packed(null), packed(140_300)), undefined);
});

test('a single different size is only a possibility, two are not', () => {
  const one = judge({ requests: 4 }, { requests: 12 });
  assert.deepEqual([one?.certainty, factsIn(one)], ['possible', ['requests']]);
  const two = judge({ requests: 4, totalBytes: 10_000 }, { requests: 12, totalBytes: 90_000 });
  assert.deepEqual([two?.certainty, factsIn(two)], ['observed', ['total_bytes', 'requests']]);
});

test('sizes that look alike are told to the byte', () => {
  const [one, other] = [92_010, 92_034].map(documentBytes => ({ ...factsOf({ documentBytes }), where: 'there' }));
  assert.deepEqual(one && other && toPageSizes(one, other).map(({ words }) => words), [
    'the document has 92010 bytes there and 92034 bytes there',
  ]);
});

test('small differences between two loads are not a cause', () => {
  assert.equal(judge({ documentBytes: 20_000 }, { documentBytes: 29_000 }), undefined, 'below the ratio');
  assert.equal(judge({ documentBytes: 300 }, { documentBytes: 900 }), undefined, 'below the least');
  assert.equal(judge({ requests: 1 }, { requests: 3 }), undefined);
});

test('a value that one side lacks is not a cause', () => {
  const nothing = { finalUrl: null, statusCode: null, documentBytes: null, totalBytes: null, requests: null };
  assert.equal(judge(nothing, {}), undefined);
  assert.equal(judge({}, nothing), undefined);
});

test('swapping the sides swaps the evidence', () => {
  const [psi, lighthouse] = [{ requests: 4, finalUrl: 'https://a.example/' }, { requests: 12 }];
  const swapped = judge(lighthouse, psi)?.evidence.map(({ fact, psi, lighthouse }) => ({
    fact,
    psi: lighthouse,
    lighthouse: psi,
  }));
  assert.deepEqual(swapped, judge(psi, lighthouse)?.evidence);
});

test('a URL of any length stays short', () => {
  const cause = judge({ finalUrl: `https://example.com/${'ä'.repeat(5000)}` }, {});
  assert.ok(String(cause?.evidence[0]?.psi).length <= 500);
});
