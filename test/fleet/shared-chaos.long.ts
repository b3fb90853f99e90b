/** Constant requests to three services while the database, or one service after the other, goes away. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { startService } from '../support/start-service.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { createSilentLink } from './silent-link.ts';
import { get, type Service, startThree, statusOf, toSettings, untilShared } from './three-services.ts';

const postgres = await startOwnPostgres({ after });

const busy = { RATE_LIMIT: '100000' };

let pages = 0;
/** Requests each page from all services at once. */
function load(services: readonly Service[], count: number): Promise<readonly number[]> {
  const asked = Array.from({ length: count }, () => {
    pages += 1;
    const name = `${pages}`;
    return services.map(async service => (await get(service, name)).status);
  });
  return Promise.all(asked.flat());
}

const isFine = (statuses: readonly number[]) => statuses.every(status => status === 200);

test('the database fails five times under load: every request is answered, and results are shared again', async t => {
  const { fake, services } = await startThree(t, postgres, busy);
  for (let round = 0; round < 5; round += 1) {
    const before = load(services, 20);
    await fake.calls.waitFor(fake.calls.all.length + 1);
    await postgres.stop();
    const during = load(services, 20);
    assert.ok(isFine(await before), 'before');
    assert.ok(isFine(await during), 'during');
    await postgres.start();
    // Each service notices the recovery by itself.
    const [one, two] = services;
    await untilShared(one, two);
    assert.ok(isFine(await load(services, 3)), 'after');
  }
});

test('each service stops in turn under load: it answers its running requests, the others answer everything', async t => {
  const { fake, start, services: three } = await startThree(t, postgres, busy);
  const services = [...three];
  for (let round = 0; round < 6; round += 1) {
    const release = fake.hold();
    const before = load(services, 20);
    await fake.calls.waitFor(fake.calls.all.length + 1);
    const [ending, ...others] = services;
    assert.ok(ending);
    // The load balancer sends nothing more to the ending service.
    const elsewhere = load(others, 20);
    release();
    await ending.close(20_000);
    // The ending service refuses its own calls that still wait for their turn.
    const isItsOwn = (index: number) => index % services.length === 0;
    for (const [index, status] of (await before).entries())
      assert.ok(status === 200 || (status === 503 && isItsOwn(index)), `${status} of service ${index % 3}`);
    assert.ok(isFine(await elsewhere));
    services.splice(0, 3, ...others, await start());
    assert.ok(isFine(await load(services, 10)));
  }
});

test('answers continue while the database does not respond, and are shared again when it does', async t => {
  const fake = await startFakePsi(t);
  const link = await createSilentLink(t, await postgres.createDatabase());
  const settings = { ...toSettings(fake, link.url), RATE_LIMIT: '1000' };
  const [one, two] = [await startService(t, settings), await startService(t, settings)];
  assert.equal(await statusOf(one, 'a'), 'miss');
  const release = fake.hold();
  const held = [get(one, 'held')];
  await fake.calls.waitFor(2);
  held.push(get(two, 'held'));
  link.fallSilent();
  const answers = [statusOf(one, 'a'), statusOf(one, 'b'), statusOf(two, 'c')];
  await fake.calls.waitFor(5);
  release();
  assert.deepEqual(await Promise.all(answers), ['hit', 'miss', 'miss']);
  assert.deepEqual(
    (await Promise.all(held)).map(({ status }) => status),
    [200, 200],
  );
  link.speak();
  await untilShared(one, two);
});
