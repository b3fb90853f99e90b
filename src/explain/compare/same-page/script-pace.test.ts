import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildDetails, buildSide, pageUrl } from '../../../../test/support/builders/side.ts';
import { toSideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { toScriptPace } from './load-pair.ts';
import { judgePage } from './same-page.ts';

const factsOf = (...times: number[]) => {
  const files = times.map((ms, at) => ({ url: `${pageUrl}${'abcdef'[at]}.js`, ms }));
  const items = files.map(({ url }) => ({ url, resourceType: 'Script', statusCode: 200, resourceSize: 9000 }));
  const work = files.map(({ url, ms }) => ({ url, scripting: 1.2 * ms, total: 1.2 * ms }));
  const audits = [buildDetails('network-requests', { items }), buildDetails('bootup-time', { items: work })];
  return toSideFacts(buildSide({ audits }).lhr, 'mobile');
};
const paceOf = (theirs: number[], ours: number[]) =>
  toScriptPace(factsOf(...theirs).load, factsOf(...ours).load)?.toFixed(1);

test('if all scripts took longer by one factor, that is the pace of a side', () => {
  assert.equal(paceOf([60, 85, 95], [240, 345, 385]), '4.1');
  assert.equal(paceOf([240, 345, 385], [60, 85, 95]), '0.2');
  assert.equal(paceOf([45, 48, 52, 44], [99, 106, 115, 620]), '2.2', 'one of four is another one');
});

test('too few scripts, short ones and contradicting ones give no pace', () => {
  assert.equal(paceOf([60, 85], [240, 345]), undefined);
  assert.equal(paceOf([6, 8, 9], [24, 34, 38]), undefined);
  assert.equal(paceOf([60, 85, 95], [60, 345, 800]), undefined);
});

test('scripts that all took four times as long are not a different page, one that took far longer is', () => {
  const judge = (theirs: number[], ours: number[]) =>
    judgePage({ psi: factsOf(...theirs), lighthouse: [factsOf(...ours)] });
  assert.equal(judge([60, 85, 95], [240, 345, 385]), undefined);
  assert.match(judge([45, 48, 52, 44], [99, 106, 115, 620])?.explanation ?? '', /: \/d\.js ran for 44 ms [^,]*\.$/);
});
