import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sitePage } from '../../../../test/web/home-answers.ts';
import { newestFirst, toSiteGroups } from './sites-table.ts';

test('the pages of a template have the order of the table, like the templates', () => {
  const { last } = sitePage();
  const pages = [70, 90, 50, 80, 60].map((performance, at) =>
    sitePage({ url: `https://harbour.example/berths/${at}`, last: last && { ...last, performance } }),
  );
  const scoresOf = (isReversed: boolean) =>
    toSiteGroups(pages, { by: 'performance', isReversed }).map(([, groups]) =>
      groups.map(group => group.pages.map(page => page.last?.performance)),
    );
  assert.deepEqual(scoresOf(false), [[[50, 60, 70, 80, 90]]]);
  assert.deepEqual(scoresOf(true), [[[90, 80, 70, 60, 50]]]);
});

test('a template has the time of its newest page', () => {
  const { last } = sitePage();
  const at = (url: string, time: string) =>
    sitePage({ url: `https://harbour.example${url}`, last: last && { ...last, time } });
  const berths = Array.from({ length: 6 }, (_, each) => at(`/berths/${each}`, `2026-11-20T10:0${each}:00Z`));
  const pages = [at('/', '2026-11-20T10:04:00Z'), ...berths];
  const [[, groups] = ['', []]] = toSiteGroups(pages, newestFirst);
  assert.deepEqual(
    groups.map(({ pages: own }) => own.length),
    [6, 1],
  );
});
