/** What another page costs, simulated: both sides are real services, with one difference planted. More: page-changes.long.ts. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { html, png, startLaboratory, toPage, urlOf } from './laboratory/site.ts';
import { assertWhole, comparePerformance, show } from './two-sides.ts';

const withHero = html(toPage({ body: '<img src="hero.png" alt="A boat" width="380" height="380">' }));
const plants = {
  hero: {
    local: { '/': withHero, '/hero.png': png(3_000_000) },
    remote: { '/': withHero, '/hero.png': png(180_000) },
  },
};
const service = await startLaboratory({ after }, name => plants[name as keyof typeof plants]);

const compare = (name: keyof typeof plants) => comparePerformance(service, urlOf(name));

test('the points of a page with 3 MB instead of 180 KB come from the local load with 180 KB', async () => {
  const comparison = await compare('hero');
  const [first] = comparison.causes;
  assert.deepEqual([first?.cause, first?.certainty, first?.category], ['different_page', 'computed', 'performance']);
  assert.ok((first?.points ?? 0) < -5, show(comparison));
  assert.match(first?.explanation ?? '', /Simulated with \/hero\/hero\.png as on .*, the local load scores/);
  assert.match(comparison.explanation, /^The two sides did not load the same page: .* A different page explains /);
  assert.deepEqual(comparison.re_audits.order[0], 'page');
  assertWhole(comparison);
});
