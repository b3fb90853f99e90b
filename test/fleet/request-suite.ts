/** Requests for the same page, the same whether they come to one instance or to two. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnalysisError } from '../../src/contract/errors.ts';
import type { ResultCache } from '../../src/storage/cache/result-cache.ts';
import type { Scope } from '../support/start-service.ts';
import { ask, createRun, instantly, nameOf, storedName } from './runs.ts';

type Instance = { cache: ResultCache };
export type OpenTwo = (scope: Scope, settings?: { ttlMs?: number }) => Promise<readonly [Instance, Instance]>;

export function testRequests(kind: string, open: OpenTwo): void {
  test(`${kind}: a value that one instance has stored is found by the other`, async t => {
    const [one, two] = await open(t);
    assert.equal((await ask(one, instantly('first'))).status, 'miss');
    const found = await ask(two, instantly('second'));
    assert.deepEqual([found.status, nameOf(found)], ['hit', 'first']);
  });

  test(`${kind}: a hundred clients share one production`, async t => {
    const [one, two] = await open(t);
    const run = createRun();
    const answers = Array.from({ length: 100 }, (_, index) => ask(index % 2 === 0 ? one : two, run));
    await run.whenBegun();
    run.finish('shared');
    const results = await Promise.all(answers);
    assert.equal(run.count, 1);
    assert.deepEqual(new Set(results.map(nameOf)), new Set(['shared']));
    assert.equal(results.filter(({ status }) => status === 'miss').length, 1);
  });

  test(`${kind}: clients share even if nothing is stored`, async t => {
    const [one, two] = await open(t, { ttlMs: 0 });
    const run = createRun();
    const first = ask(one, run);
    await run.whenBegun();
    const second = ask(two, run);
    // The second request's way to the database is invisible, but the next request on it is not.
    await ask(two, instantly('other'), { key: 'other' });
    run.finish('shared');
    assert.deepEqual([nameOf(await first), nameOf(await second)], ['shared', 'shared']);
    assert.equal(await storedName(two), undefined);
  });

  test(`${kind}: a failure reaches all joined clients unchanged, and is not stored`, async t => {
    const [one, two] = await open(t);
    const run = createRun();
    const first = ask(one, run);
    await run.whenBegun();
    const second = ask(two, run);
    await ask(two, instantly('other'), { key: 'other' });
    run.fail(new AnalysisError('page_error', 'It answered 503.', { source: 'psi', pageStatus: 503 }));
    for (const answer of [first, second])
      await assert.rejects(answer, error => {
        assert.ok(error instanceof AnalysisError);
        assert.deepEqual(
          [error.code, error.message, error.source, error.pageStatus],
          ['page_error', 'It answered 503.', 'psi', 503],
        );
        return true;
      });
    assert.deepEqual([run.count, await storedName(one), await storedName(two)], [1, undefined, undefined]);
  });

  test(`${kind}: a request in flight during a clear is answered and not stored`, async t => {
    const [one, two] = await open(t);
    const run = createRun();
    const answer = ask(two, run);
    await run.whenBegun();
    await one.cache.clear();
    run.finish('old');
    assert.equal(nameOf(await answer), 'old');
    assert.deepEqual([await storedName(one), await storedName(two)], [undefined, undefined]);
  });

  test(`${kind}: a request after a clear joins no earlier one, and its result stays`, async t => {
    const [one, two] = await open(t);
    const [before, after] = [createRun(), createRun()];
    const early = ask(two, before);
    await before.whenBegun();
    await one.cache.clear();
    const late = ask(one, after);
    await after.whenBegun();
    after.finish('new');
    assert.equal((await late).status, 'miss');
    before.finish('old');
    assert.equal(nameOf(await early), 'old');
    assert.deepEqual([await storedName(one), await storedName(two)], ['new', 'new']);
  });

  test(`${kind}: a forced request joins no other, later ones join it, and its result stays`, async t => {
    const [one, two] = await open(t);
    const [older, newer] = [createRun(), createRun()];
    const first = ask(one, older);
    await older.whenBegun();
    const forced = ask(two, newer, { fresh: true });
    await newer.whenBegun();
    const later = ask(two, createRun());
    newer.finish('new');
    older.finish('old');
    assert.deepEqual((await Promise.all([first, forced, later])).map(nameOf), ['old', 'new', 'new']);
    assert.deepEqual([await storedName(one), await storedName(two)], ['new', 'new']);
  });

  test(`${kind}: a client that disconnects gets the abort reason, and the request continues for the others`, async t => {
    const [one, two] = await open(t);
    const run = createRun();
    const client = new AbortController();
    const left = ask(one, run, { signal: client.signal });
    await run.whenBegun();
    const staying = ask(two, run);
    await ask(two, instantly('other'), { key: 'other' });
    const reason = new Error('gone');
    client.abort(reason);
    await assert.rejects(left, reason);
    run.finish('shared');
    assert.deepEqual([nameOf(await staying), run.count], ['shared', 1]);
    assert.equal(await storedName(one), 'shared');
  });

  test(`${kind}: the last client that disconnects cancels the request`, async t => {
    const [one, two] = await open(t);
    const run = createRun();
    const clients = [new AbortController(), new AbortController()] as const;
    const first = ask(one, run, { signal: clients[0].signal });
    await run.whenBegun();
    const second = ask(two, run, { signal: clients[1].signal });
    await ask(two, instantly('other'), { key: 'other' });
    for (const [client, answer] of [[clients[0], first] as const, [clients[1], second] as const]) {
      client.abort();
      await assert.rejects(answer, { name: 'AbortError' });
    }
    await run.whenCancelled;
    assert.equal(run.count, 1);
  });

  test(`${kind}: clearing empties both, and returns the number of results`, async t => {
    const [one, two] = await open(t);
    for (const key of ['a', 'b', 'c']) await ask(one, instantly(key), { key });
    for (const key of ['a', 'b']) assert.equal(await storedName(two, key), key);
    assert.equal(await two.cache.clear(), 3);
    assert.equal(await one.cache.clear(), 0);
    assert.deepEqual([await storedName(one, 'a'), await storedName(two, 'a')], [undefined, undefined]);
  });
}
