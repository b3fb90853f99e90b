/** What cannot be simulated of another page: see page-changes.test.ts. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { html, script, startLaboratory, toPage, urlOf } from './laboratory/site.ts';
import { comparePerformance, show } from './two-sides.ts';

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

const compare = (name: keyof typeof plants) => comparePerformance(service, urlOf(name));

test('a script that requested another one is not removed, and no points are claimed', async () => {
  const comparison = await compare('started');
  const [first] = comparison.causes;
  assert.deepEqual([first?.cause, first?.certainty, first?.points], ['different_page', 'observed', null]);
  assert.ok(!comparison.re_audits.order.includes('page'), show(comparison));
});
