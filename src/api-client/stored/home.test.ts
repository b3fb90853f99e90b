import assert from 'node:assert/strict';
import { test } from 'node:test';
import { homeIn, readSchedules, withSearch } from './home.ts';

test('every schedule of a client is read with its URLs, which are not read again', async () => {
  let requests = 0;
  const ids = Array.from({ length: 100 }, (_, at) => `${at}`);
  const { signal } = new AbortController();
  const answer = async (path: string) => {
    requests += 1;
    const { pathname, searchParams } = new URL(path, 'http://service');
    const limit = Number(searchParams.get('limit') ?? 50);
    const body =
      pathname === '/schedules'
        ? { schedules: ids.slice(0, limit).map(id => ({ id })) }
        : { id: pathname.slice(11), urls: [`https://a.example/${pathname.slice(11)}`] };
    return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });
  };
  const options = { signal, fetch: answer as typeof fetch };
  const read = await readSchedules(options);
  assert.ok(read.ok);
  assert.equal(requests, 101);
  const again = await readSchedules(options, read.body);
  assert.equal(requests, 102);
  for (const { body } of [read, again.ok ? again : assert.fail()])
    assert.deepEqual(
      body.map(({ urls }) => urls?.[0]),
      ids.map(id => `https://a.example/${id}`),
    );
});

test('a search is in the URL of the sites, and in no other', () => {
  const sites = 'https://service.example/base/?view=sites';
  const searched = withSearch(sites, 'a b&c');
  assert.equal(homeIn(new URL(searched ?? ''))?.search, 'a b&c');
  assert.equal(withSearch(searched ?? '', ''), sites);
  for (const other of ['https://service.example/', 'https://service.example/?view=schedules'])
    assert.equal(withSearch(other, 'a'), undefined);
});
