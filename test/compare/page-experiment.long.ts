/** What cannot be simulated of another page: see page-experiment.test.ts. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ask, withQuery } from '../support/asking/ask.ts';
import { html, script, startLaboratory, toPage, urlOf } from './laboratory/site.ts';
import { type Both, show } from './two-sides.ts';

const starter = `const next = document.createElement('script'); next.src = '/started/next.js'; document.body.append(next);`;
const withStarter = (body: string) => html(toPage({ body }));

const plants = {
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

test('a script that asked for another one is not taken out: no points are claimed', async () => {
  const comparison = await compare('started');
  const [first] = comparison.causes;
  assert.deepEqual([first?.cause, first?.certainty, first?.points], ['different_page', 'observed', null]);
  assert.ok(!comparison.re_audits.order.includes('page'), show(comparison));
});
