/** Calls to the remote analyser, the same whether one instance makes them or two. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnalysisError } from '../../src/contract/errors.ts';
import type { SharedLimits } from '../../src/measure/psi/call-queue.ts';
import { createPsiClient, type Patience, type PsiClient } from '../../src/measure/psi/client.ts';
import { toPsiResult } from '../../src/measure/psi/wire/wire-result.ts';
import { type FakePsi, type PsiAnswer, type PsiCall, startFakePsi } from '../support/analysers/fake-psi.ts';
import { createArrivals } from '../support/arrivals.ts';
import { sameThread } from '../support/audits/same-thread.ts';
import { buildMeasuredLhr } from '../support/builders/lhr.ts';
import { impatient, type Scope } from '../support/start-service.ts';
import { inTime } from '../support/until.ts';

export type Caller = { limits: SharedLimits | undefined };
type OpenCallers = (scope: Scope) => Promise<readonly [Caller, Caller]>;

type Settings = {
  concurrency?: number;
  ratePerMinute?: number;
  patience?: Patience;
  now?: () => number;
  /** A fake that other clients already call. */
  fake?: FakePsi;
};
export type Clients = {
  fake: FakePsi;
  clients: readonly [PsiClient, PsiClient];
  analyse(which: 0 | 1, name: string, signal?: AbortSignal): Promise<unknown>;
};

const fine = (): PsiAnswer => ({ body: toPsiResult(buildMeasuredLhr()) });
const overQuota: PsiAnswer = {
  status: 429,
  body: { error: { code: 429, message: 'No.', details: [{ metadata: { quota_limit: 'QueriesPerDay' } }] } },
};
const codeOf = (error: unknown) => (error instanceof AnalysisError ? error.code : String(error));
export const strict: Patience = { ...impatient, backOffMs: 1e9, minuteMs: 1e9 };

/** Two clients of one analyser; with one instance both are the same client. */
export async function createClients(
  scope: Scope,
  callers: readonly [Caller, Caller],
  {
    concurrency = 4,
    ratePerMinute = Number.POSITIVE_INFINITY,
    patience = impatient,
    now = Date.now,
    ...others
  }: Settings = {},
): Promise<Clients> {
  const fake = others.fake ?? (await startFakePsi(scope));
  if (!others.fake) fake.answerWith(fine);
  const create = ({ limits }: Caller) =>
    createPsiClient({
      server: { kind: 'custom', endpoint: fake.endpoint, host: new URL(fake.endpoint).host, apiKey: undefined },
      threads: sameThread,
      timeoutMs: 60_000,
      concurrency,
      ratePerMinute,
      patience,
      now,
      shared: limits && { name: fake.endpoint, limits },
    });
  const first = create(callers[0]);
  const clients = [first, callers[0] === callers[1] ? first : create(callers[1])] as const;
  return {
    fake,
    clients,
    analyse: (which, name, signal = new AbortController().signal) =>
      clients[which].analyse(
        {
          url: `https://example.com/${name}`,
          strategy: 'mobile',
          categories: ['performance'],
          locale: 'en-US',
          requestedAt: '2026-11-20T12:00:00.000Z',
        },
        signal,
      ),
  };
}

const isPage = ({ params }: PsiCall): boolean => params.has('url');

/** Counts the calls that have arrived, after later statements of each caller and a later request have come through. */
export async function countArrived(fake: FakePsi, callers: readonly Caller[]): Promise<number> {
  for (const { limits } of callers) {
    const gate = limits?.createGate('barrier', { concurrency: 100, ratePerMinute: 100 });
    (await gate?.enter(new AbortController().signal))?.leave();
  }
  await (await fetch(fake.endpoint)).arrayBuffer();
  return fake.calls.all.filter(isPage).length;
}

export function testCalls(kind: string, open: OpenCallers): void {
  test(`${kind}: all instances together make no more concurrent calls than allowed`, async t => {
    const callers = await open(t);
    const { fake, analyse } = await createClients(t, callers, { concurrency: 2 });
    const held = createArrivals<() => void>();
    fake.answerWith(call =>
      isPage(call) ? new Promise(resolve => held.add(() => resolve(fine()))) : { body: 'the barrier' },
    );
    const answers = Promise.all(Array.from({ length: 12 }, (_, index) => analyse(index % 2 === 0 ? 0 : 1, `${index}`)));
    for (let begun = 2; begun <= 12; begun += 2) {
      await inTime(held.waitFor(begun));
      assert.equal(await countArrived(fake, callers), begun);
      for (const release of held.all.slice(-2)) release();
    }
    await answers;
  });

  test(`${kind}: all instances together make no more calls in a minute than allowed, and waiting ones can be cancelled`, async t => {
    const callers = await open(t);
    const { fake, analyse } = await createClients(t, callers, { ratePerMinute: 3 });
    await Promise.all([analyse(0, 'a'), analyse(1, 'b'), analyse(0, 'c')]);
    const clients = [0, 1].map(() => new AbortController());
    const answers = clients.map(({ signal }, index) => analyse(index === 0 ? 0 : 1, 'late', signal));
    const outcomes = Promise.allSettled(answers);
    assert.equal(await countArrived(fake, callers), 3);
    for (const client of clients) client.abort();
    assert.deepEqual(
      (await inTime(outcomes)).map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(await countArrived(fake, callers), 3);
  });
}

/** All clients of an instance share what it knows of the analyser's state. */
export function testBackOff(open: OpenCallers): void {
  test('an analyser that is down is called three times in total', async t => {
    const { fake, analyse } = await createClients(t, await open(t), { patience: strict });
    fake.answerWith(() => undefined);
    await assert.rejects(analyse(0, 'a'), error => codeOf(error) === 'psi_unavailable');
    await assert.rejects(analyse(1, 'b'), error => codeOf(error) === 'psi_unavailable');
    assert.equal(fake.calls.all.length, 3);
  });

  test('a used-up quota stops all calls', async t => {
    const { fake, analyse } = await createClients(t, await open(t), { patience: strict });
    fake.answerWith(() => overQuota);
    await assert.rejects(analyse(0, 'a'), error => codeOf(error) === 'psi_quota_exceeded');
    await assert.rejects(
      analyse(1, 'b'),
      error => codeOf(error) === 'psi_quota_exceeded' && (error as AnalysisError).retryAfterSeconds !== undefined,
    );
    assert.equal(fake.calls.all.length, 1);
  });

  test('after an outage one call probes, and its answer releases the others', async t => {
    let nowMs = Date.now();
    const settings = { patience: { ...impatient, backOffMs: 5000 }, now: () => nowMs };
    const { fake, analyse } = await createClients(t, await open(t), settings);
    fake.answerWith(() => undefined);
    await assert.rejects(analyse(0, 'a'));
    nowMs += 5000;
    fake.answerWith(fine);
    const release = fake.hold();
    const probe = analyse(0, 'probe');
    await fake.calls.waitFor(4);
    await assert.rejects(analyse(1, 'beside'), error => codeOf(error) === 'psi_unavailable');
    release();
    await probe;
    await analyse(1, 'after');
    assert.equal(fake.calls.all.length, 5);
  });
}
