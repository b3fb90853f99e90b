import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { createNotices } from '../../src/fleet/notices.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { until } from '../support/until.ts';
import { openFleetDatabase } from './fleet.ts';
import { createSilentLink } from './silent-link.ts';

const postgres = await startOwnPostgres({ after });

function open(t: TestContext, url: string) {
  const database = openFleetDatabase({ url });
  const notices = createNotices(database);
  t.after(async () => {
    await notices.close();
    await database.close();
  });
  return { database, notices };
}

test('instances that start simultaneously create the tables once', async t => {
  const url = await postgres.createDatabase();
  const instances = [1, 2, 3, 4].map(() => open(t, url));
  await Promise.all(instances.map(({ database }) => database.open()));
  const [row] = await postgres.query(url, 'SELECT value FROM rangelight_fleet.schema_state');
  assert.equal(typeof row?.value, 'number');
});

test('a database one schema version newer is used, an even newer one is rejected', async t => {
  const url = await postgres.createDatabase();
  const first = open(t, url);
  await first.database.open();
  await postgres.query(url, 'UPDATE rangelight_fleet.schema_state SET value = value + 1');
  await open(t, url).database.open();
  await postgres.query(url, 'UPDATE rangelight_fleet.schema_state SET value = value + 1');
  await assert.rejects(open(t, url).database.open(), { code: 'newer_database' });
});

test('a transaction is committed completely or not at all', async t => {
  const { database } = open(t, await postgres.createDatabase());
  const insert = "INSERT INTO turns (queue, is_batch, client, next) VALUES ('q', 0, $1, 1) RETURNING client";
  const count = async () => (await database.query('SELECT count(*)::int AS count FROM turns')).rows[0]?.count;
  const { rows } = await database.transaction(query => query(insert, ['a']));
  assert.deepEqual(rows, [{ client: 'a' }]);
  const broken = database.transaction(async query => {
    await query(insert, ['b']);
    await query(insert, ['a']);
  });
  await assert.rejects(broken, { code: 'not_acceptable' });
  assert.equal(await count(), 1);
});

test('a notice reaches every subscribed instance, and no other', async t => {
  const url = await postgres.createDatabase();
  const [one, two] = [open(t, url), open(t, url)];
  const heard: unknown[] = [];
  const both = Promise.withResolvers<void>();
  const onNotice = (name: string) => (payload: unknown) => {
    heard.push([name, payload]);
    if (heard.length === 2) both.resolve();
  };
  one.notices.subscribe('pages', onNotice('one'));
  two.notices.subscribe('pages', onNotice('two'));
  two.notices.subscribe('others', onNotice('others'));
  await Promise.all([one.notices.whenListening(), two.notices.whenListening()]);
  await one.notices.publish('pages', { id: 7 });
  await both.promise;
  assert.deepEqual(heard.toSorted(), [
    ['one', { id: 7 }],
    ['two', { id: 7 }],
  ]);
});

test('an unsubscribed handler gets no more notices, the others do', async t => {
  const { notices } = open(t, await postgres.createDatabase());
  const heard: unknown[] = [];
  const leave = notices.subscribe('pages', payload => heard.push(['left', payload]));
  leave();
  const { promise, resolve } = Promise.withResolvers<unknown>();
  notices.subscribe('pages', resolve);
  await notices.whenListening();
  await notices.publish('pages', 'ä');
  assert.equal(await promise, 'ä');
  assert.deepEqual(heard, []);
});

test('a payload that PostgreSQL does not accept is an internal error, not a lost notice', async t => {
  const { notices } = open(t, await postgres.createDatabase());
  await assert.rejects(notices.publish('pages', 'ä'.repeat(4000)), /too long/);
});

test('the connection listens again automatically when the server is back, and reports it', async t => {
  const { notices } = open(t, await postgres.createDatabase());
  const heard: unknown[] = [];
  let next = Promise.withResolvers<void>();
  notices.subscribe('pages', payload => {
    heard.push(payload);
    next.resolve();
  });
  await notices.whenListening();
  await notices.publish('pages', 'before');
  await next.promise;
  const back = Promise.withResolvers<void>();
  notices.onReconnect(back.resolve);
  await postgres.stop();
  await notices.publish('pages', 'lost');
  await postgres.start();
  await back.promise;
  next = Promise.withResolvers();
  await notices.publish('pages', 'after');
  await next.promise;
  assert.deepEqual(heard, ['before', 'after']);
});

test('a subscription that the database did not confirm is repeated on a new connection', async t => {
  const link = await createSilentLink(t, await postgres.createDatabase());
  const { notices } = open(t, link.url);
  await notices.whenListening();
  const back = Promise.withResolvers<void>();
  notices.onReconnect(back.resolve);
  link.fallSilent();
  const { promise, resolve } = Promise.withResolvers<unknown>();
  notices.subscribe('pages', resolve);
  await until(() => !notices.isListening);
  link.speak();
  await back.promise;
  await notices.publish('pages', 'after');
  assert.equal(await promise, 'after');
});
