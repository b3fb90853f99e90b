import assert from 'node:assert/strict';
import { test } from 'node:test';
import { homeIn, readSchedules, withSearch } from './home.ts';

test('every schedule of a client is read with its URLs', async () => {
  const ids = Array.from({ length: 100 }, (_, at) => `${at}`);
  const { signal } = new AbortController();
  const answer = async (path: string) => {
    const { pathname, searchParams } = new URL(path, 'http://service');
    const limit = Number(searchParams.get('limit') ?? 50);
    const body =
      pathname === '/schedules'
        ? { schedules: ids.slice(0, limit).map(id => ({ id })) }
        : { id: pathname.slice(11), urls: [`https://a.example/${pathname.slice(11)}`] };
    return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });
  };
  const read = await readSchedules({ signal, fetch: answer as typeof fetch });
  assert.ok(read.ok);
  assert.deepEqual(
    read.body.map(({ urls }) => urls?.[0]),
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
