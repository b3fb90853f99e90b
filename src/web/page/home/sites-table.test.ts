import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sitePage } from '../../../../test/web/home-answers.ts';
import { toSiteGroups } from './sites-table.ts';

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
