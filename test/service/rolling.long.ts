/** A rolling restart behind a naive client, which sends requests to the ready instances in turn. */
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { withQuery } from '../support/asking/ask.ts';
import { startListening } from '../support/start-process.ts';
import { until } from '../support/until.ts';

type Outcome = { readonly page: string; readonly came: number | string };

type Instance = Awaited<ReturnType<typeof startListening>> & { isReady: boolean };

const looksEveryMs = 250;

async function startTwo(t: TestContext, environment: Record<string, string>) {
  const fake = await startFakePsi(t);
  fake.answerWith(async call => {
    await delay(20);
    return { body: toPsiBody(call) };
  });
  const start = async (): Promise<Instance> => {
    const service = await startListening(t, {
      environment: {
        PSI_ENDPOINT: fake.endpoint,
        PSI_RATE: '100000',
        PSI_CONCURRENCY: '20',
        CACHE_TTL: '0',
        TARGETS: 'public',
        SHUTDOWN_GRACE: '5',
        ...environment,
      },
    });
    return { ...service, isReady: false };
  };
  return { start, fake, instances: [await start(), await start()] };
}

const agent = new Agent({ keepAlive: true });

const get = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    request(url, { agent }, response => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0)).once('error', reject);
    })
      .once('error', reject)
      .end();
  });

/** @returns the outcomes of 500 requests, a page each, while every instance was replaced in turn */
async function restartUnderLoad(t: TestContext, environment: Record<string, string>) {
  const { start, fake, instances } = await startTwo(t, environment);
  let isOver = false;
  const look = async (instance: Instance) => {
    instance.isReady = await get(`${instance.url}/health/ready`).then(
      status => status === 200,
      () => false,
    );
  };
  const looking = (async () => {
    while (!isOver) {
      await Promise.all(instances.map(look));
      await delay(looksEveryMs);
    }
  })();
  const untilReady = (instance: Instance) => until(() => instance.isReady);
  await Promise.all(instances.map(untilReady));

  const outcomes: Outcome[] = [];
  let turn = 0;
  const ask = async (): Promise<void> => {
    const ready = instances.filter(({ isReady }) => isReady);
    turn += 1;
    const { url } = ready[turn % ready.length] ?? assert.fail('no instance is ready');
    const page = `https://example.com/${turn}`;
    const target = withQuery('/psi', { url: page, strategy: 'mobile' });
    const came = await get(url + target).catch(({ code }: NodeJS.ErrnoException) => code ?? 'failed');
    outcomes.push({ page, came });
  };
  const restarting = (async () => {
    for (const index of [0, 1]) {
      const next = await start();
      const old = instances[index] as Instance;
      instances.push(next);
      await untilReady(next);
      old.child.kill('SIGTERM');
      assert.equal(await old.exited, 0);
      instances.splice(instances.indexOf(old), 1, ...instances.splice(-1));
    }
  })();
  const asking: Promise<void>[] = [];
  let isRestarted = false;
  void restarting.finally(() => {
    isRestarted = true;
  });
  while (asking.length < 500 || !isRestarted) {
    asking.push(ask());
    await delay(20);
  }
  await Promise.all([restarting, ...asking]);
  isOver = true;
  await looking;
  agent.destroy();
  return { outcomes, fake };
}

test('with SHUTDOWN_DELAY a rolling restart loses none of 500 requests', async t => {
  const { outcomes } = await restartUnderLoad(t, { SHUTDOWN_DELAY: '2' });
  assert.ok(outcomes.length >= 500);
  assert.deepEqual(
    outcomes.filter(({ came }) => came !== 200),
    [],
  );
});

test('without a delay every request that an instance has accepted is answered', async t => {
  const { outcomes, fake } = await restartUnderLoad(t, {});
  const lost = outcomes.filter(({ came }) => came !== 200);
  t.diagnostic(`${lost.length} of ${outcomes.length}: ${[...new Set(lost.map(({ came }) => came))].join(', ')}`);
  // ECONNREFUSED: the process has ended. ECONNRESET: it closed the idle connection while the request was on its way.
  assert.deepEqual(
    lost.filter(({ came }) => came !== 503 && came !== 'ECONNREFUSED' && came !== 'ECONNRESET'),
    [],
  );
  const accepted = new Set(fake.calls.all.map(({ params }) => params.get('url')));
  assert.deepEqual(
    lost.filter(({ page }) => accepted.has(page)),
    [],
  );
});
