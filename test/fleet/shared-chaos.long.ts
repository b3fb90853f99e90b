/** Requests to three services all the time, while the database, or one service after the other, goes away. */
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { ask, withQuery } from '../support/ask.ts';
import { startFakePsi } from '../support/fake-psi.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { type StartedService, startService } from '../support/start-service.ts';

const postgres = await startOwnPostgres({ after });

async function startThree(t: TestContext) {
  const fake = await startFakePsi(t);
  const databaseUrl = await postgres.createDatabase();
  const start = () =>
    startService(t, {
      PSI_ENDPOINT: fake.endpoint,
      DATABASE_URL: databaseUrl,
      TARGETS: 'public',
      RATE_LIMIT: '100000',
    });
  /** Until so many requests wait for a call that another service has in flight. */
  const whenFollowed = async (count: number): Promise<void> => {
    const followers = 'SELECT count(*)::int AS count FROM rangelight_fleet.flights, jsonb_object_keys(followers)';
    while (Number((await postgres.query(databaseUrl, followers))[0]?.count) < count);
  };
  return { fake, start, whenFollowed, services: [await start(), await start(), await start()] };
}

let pages = 0;
/** Each page is asked for of all services at once. */
function load(services: readonly StartedService[], count: number): Promise<readonly number[]> {
  const asked = Array.from({ length: count }, () => {
    pages += 1;
    const target = withQuery('/psi', { url: `https://example.com/${pages}`, strategy: 'mobile' });
    return services.map(async service => (await ask(service, target)).status);
  });
  return Promise.all(asked.flat());
}

const isFine = (statuses: readonly number[]) => statuses.every(status => status === 200);

test('the database goes away five times under load: every request is answered, and calls are shared again', async t => {
  const { fake, services } = await startThree(t);
  for (let round = 0; round < 5; round += 1) {
    const before = load(services, 20);
    await fake.calls.waitFor(fake.calls.all.length + 1);
    await postgres.stop();
    const during = load(services, 20);
    assert.ok(isFine(await before), 'before');
    assert.ok(isFine(await during), 'during');
    await postgres.start();
    // Each service finds out by itself: until then it makes calls of its own.
    let extra = 1;
    while (extra > 0) {
      const called = fake.calls.all.length;
      assert.ok(isFine(await load(services, 3)), 'after');
      extra = fake.calls.all.length - called - 3;
    }
  }
});

test('each service ends in turn under load: no request fails', async t => {
  const { fake, start, whenFollowed, services } = await startThree(t);
  for (let round = 0; round < 6; round += 1) {
    const release = fake.hold();
    const before = load(services, 20);
    // Each page is asked of three, and one of them calls.
    await whenFollowed(40);
    const [ending, ...others] = services;
    assert.ok(ending);
    // What it has taken it answers; a load balancer sends it nothing more.
    const taken = Promise.all([before, load(others, 20)]);
    release();
    await ending.close(20_000);
    assert.ok(isFine((await taken).flat()));
    services.splice(0, 3, ...others, await start());
    assert.ok(isFine(await load(services, 10)));
  }
});
