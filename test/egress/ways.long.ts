/** Other values of TARGETS, under which a public page cannot reach internal hosts either: see ways.test.ts. */
import { after, test } from 'node:test';
import { assertReachesNothing, startCanaries, startWaysSite } from './ways-site.ts';

const canaries = await startCanaries({ after });
const site = await startWaysSite({ after });

for (const TARGETS of ['public', 'localhost,127.0.0.0/8,::1,10.0.0.0/8'])
  test(`a public page cannot reach internal hosts in any way, with TARGETS=${TARGETS}, and is measured`, t =>
    assertReachesNothing(t, { site, canaries, TARGETS }, ownPort => [
      ...canaries.map(({ host, port }) => `http://${host}:${port}/`),
      ...[`http://localhost:${canaries[0]?.port}/`, `http://127.0.0.1:${ownPort}/`],
      ...['http://169.254.169.254/', 'http://10.0.0.5/'],
      ...['http://in.example.com/', 'http://[fe80::1]/', 'http://printer.local/'],
    ]));
