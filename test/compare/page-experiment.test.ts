/** What another page costs, simulated: both sides are real services, with one difference planted. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ask, withQuery } from '../support/asking/ask.ts';
import { html, png, script, startLaboratory, toPage, urlOf } from './laboratory/site.ts';
import { assertWhole, type Both, show } from './two-sides.ts';

const withHero = html(toPage({ body: '<img src="hero.png" alt="A boat" width="380" height="380">' }));
const starter = `const next = document.createElement('script'); next.src = '/started/next.js'; document.body.append(next);`;
const withStarter = (body: string) => html(toPage({ body }));

const plants = {
  hero: {
    local: { '/': withHero, '/hero.png': png(3_000_000) },
    remote: { '/': withHero, '/hero.png': png(180_000) },
  },
  // The script is on one side only; what it asked for is on both.
  started: {
    local: {
      '/': withStarter('<script src="starter.js"></script>'),
      '/starter.js': script(`${starter}/*${'x'.repeat(60_000)}*/`),
      '/next.js': script('{}'),
    },
    remote: { '/': withStarter('<script src="next.js"></script>'), '/next.js': script('{}') },
  },
};
const service = await startLaboratory({ after }, name => plants[name as keyof typeof plants]);

const compare = async (name: keyof typeof plants) => {
  const query = { url: urlOf(name), profile: 'psi', categories: 'performance' };
  const { status, body } = await ask<Both>(service, withQuery('/compare', query));
  assert.equal(status, 200, JSON.stringify(body));
  return body.comparison;
};

test('of 3 MB in place of 180 KB the points come from the local load with 180 KB', async () => {
  const comparison = await compare('hero');
  const [first] = comparison.causes;
  assert.deepEqual([first?.cause, first?.certainty, first?.category], ['different_page', 'computed', 'performance']);
  assert.ok((first?.points ?? 0) < -5, show(comparison));
  assert.match(
    first?.explanation ?? '',
    /Simulated with what the remote side got of \/hero\/hero\.png, this load scores/,
  );
  assert.match(comparison.verdict, /^The two sides did not load the same page: .* by a different page \(computed\)/);
  assert.deepEqual(comparison.re_audits.order.at(-1), 'page');
  assertWhole(comparison);
});

test('a script that asked for another one is not taken out: no points are claimed', async () => {
  const comparison = await compare('started');
  const [first] = comparison.causes;
  assert.deepEqual([first?.cause, first?.certainty, first?.points], ['different_page', 'observed', null]);
  assert.ok(!comparison.re_audits.order.includes('page'), show(comparison));
});
