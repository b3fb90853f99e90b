import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toText } from '../../../../test/support/template-text.ts';
import { sitePage } from '../../../../test/web/home-answers.ts';
import type { Schedule } from '../../../api-client/stored/home.ts';
import type { SitePage } from '../../../contract/stored/sites.ts';
import { toSideNames } from '../../../presentation/side-names.ts';
import type { Actions } from '../session/actions.ts';
import { sitesView } from './sites-view.ts';

const page = sitePage();
const schedule = (fields: Partial<Schedule>) =>
  ({
    kind: page.source,
    strategy: page.strategy,
    urls: [page.url],
    conditions: null,
    paused: false,
    next_at: null,
    ...fields,
  }) as Schedule;

const shownWith = (pages: SitePage[], schedules: Schedule[], search = '') =>
  toText(
    sitesView(
      { asked: { page: 'sites', search }, opened: {}, sites: { pages, is_complete: true }, schedules },
      toSideNames(undefined),
      {} as Actions,
    ),
  );

const shown = (...schedules: Schedule[]) => shownWith([page], schedules);

test('a site offers to watch only pages that no schedule contains', () => {
  assert.match(shown(), /Watch 1 page</);
  assert.doesNotMatch(shown(schedule({})), /Watch 1 page</);
});

test('a folded group says how many of its pages changed', () => {
  const change = { ...page.change, status: 'worse' } as NonNullable<SitePage['change']>;
  const group = Array.from({ length: 6 }, (_, at) =>
    sitePage({ url: `https://${page.host}/berths/${100 + at}`, change: at < 2 ? change : null }),
  );
  assert.match(shownWith(group, []), /data-key=change.*2 pages worse/s);
});

test('a site says how many of its pages are measured if a list of it has a sample', () => {
  const site = { url: `https://${page.host}/`, sample: 3, found: 812 };
  assert.match(shown(schedule({ site })), /1 of 812 pages measured/);
  assert.match(shown(schedule({ site: { ...site, url: 'https://other.example/' } })), /1 page</);
  assert.match(shownWith([page], [schedule({ site })], 'found'), /1 page shown</);
});

test('a page offers Watch only if no schedule contains it', () => {
  assert.match(shown(), />Watch<\/a>/);
  assert.match(shown(schedule({ urls: ['https://other.example/'] }), schedule({ strategy: 'desktop' })), />Watch<\/a>/);
  const paused = shown(schedule({ paused: true }));
  assert.doesNotMatch(paused, />Watch<\/a>/);
  assert.match(paused, />Watched: paused<\/a>/);
  const both = shown(schedule({ paused: true }), schedule({ next_at: '2026-11-21T10:00:00Z' }));
  assert.match(both, />Watched: next Nov 21, 2026.* UTC</);
});
