import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnalysisError } from '../../contract/errors.ts';
import type { Egress } from '../egress/egress-proxy.ts';
import { explainFailure, explainOpening } from './egress.ts';

type Refusal = Awaited<ReturnType<Egress['about']>>['refusal'];
const url = 'http://app.internal/';

const egressWith = (refusal: Refusal, { isDiscreet = false, exhausted = AbortSignal.any([]) } = {}): Egress => ({
  exhausted,
  about: async asked => ({
    blocked: 0,
    unasked: 0,
    givenUp: [],
    refusal: asked === url ? refusal : undefined,
    isDiscreet,
  }),
  close: () => {},
});

const unreachable = new AnalysisError('page_unreachable', 'Closed (ERR_EMPTY_RESPONSE).', {
  lighthouseMessage: 'net::ERR_EMPTY_RESPONSE',
});

const timedOut = new AnalysisError('page_timeout', 'It did not answer.');

const explain = async (egress: Egress, failure: unknown): Promise<AnalysisError> => {
  const explained = await explainFailure(egress, url, failure);
  assert.ok(explained instanceof AnalysisError);
  return explained;
};

test('a refusal is the reason why a document failed', async () => {
  const reasons = [
    ['blocked', 'target_forbidden', /^detail$/],
    ['unknown_name', 'page_unreachable', /does not resolve/],
    ['refused', 'page_unreachable', /ERR_CONNECTION_REFUSED/],
    ['timeout', 'page_unreachable', /ERR_CONNECTION_TIMED_OUT/],
  ] as const;
  for (const [reason, code, words] of reasons) {
    const explained = await explain(egressWith({ reason, detail: 'detail' }), unreachable);
    assert.equal(explained.code, code);
    assert.match(explained.message, words);
  }
});

test('without a refusal the failure is not changed', async () => {
  for (const failure of [unreachable, new Error('other'), 'text', undefined])
    assert.equal(await explainFailure(egressWith(undefined), url, failure), failure);
  assert.equal(
    await explainFailure(egressWith({ reason: 'blocked', detail: 'x' }), 'http://other/', unreachable),
    unreachable,
  );
});

test("a stop of the service or an internal fault is not the page's failure", async () => {
  const refused = egressWith({ reason: 'refused', detail: 'x' });
  const stopping = new AnalysisError('shutting_down', 'The service is shutting down.');
  const fault = new TypeError('ours');
  for (const failure of [stopping, fault]) assert.equal(await explainFailure(refused, url, failure), failure);
});

test('with discretion, refused, silent and closed are equal in every field', async () => {
  const isDiscreet = { isDiscreet: true };
  const explained = [
    await explain(egressWith({ reason: 'refused', detail: 'x' }, isDiscreet), unreachable),
    await explain(egressWith({ reason: 'timeout', detail: 'y' }, isDiscreet), unreachable),
    await explain(egressWith(undefined, isDiscreet), unreachable),
    await explain(egressWith(undefined, isDiscreet), timedOut),
  ];
  for (const one of explained) {
    assert.deepEqual({ ...one, message: one.message }, { ...explained[0], message: explained[0]?.message });
    assert.doesNotMatch(JSON.stringify([one.message, one.lighthouseMessage]), /ERR_/);
  }
});

test('discretion hides neither forbidden targets nor failures of the page itself', async () => {
  const blocked = egressWith({ reason: 'blocked', detail: 'No.' }, { isDiscreet: true });
  assert.equal((await explain(blocked, unreachable)).code, 'target_forbidden');
  const crashed = new AnalysisError('page_crashed', 'Gone.');
  assert.equal(await explain(egressWith(undefined, { isDiscreet: true }), crashed), crashed);
});

test('an audit that exceeds its byte limit ends with that failure', async () => {
  const reason = new AnalysisError('page_unreachable', 'Too much.');
  const egress = egressWith({ reason: 'refused', detail: 'x' }, { exhausted: AbortSignal.abort(reason) });
  assert.equal(await explain(egress, new Error('killed')), reason);
});

test('a connection that could not be opened is the page’s fault only if a reason says so', async () => {
  const opening = (reason: string) => explainOpening(Object.assign(new Error('detail'), { reason })) as AnalysisError;
  assert.deepEqual([opening('blocked').code, opening('blocked').message], ['target_forbidden', 'detail']);
  for (const reason of ['unknown_name', 'timeout']) assert.equal(opening(reason).lighthouseCode, 'DNS_FAILURE');
  const fault = new Error('EMFILE');
  assert.equal(explainOpening(fault), fault);
});
