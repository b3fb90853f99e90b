/**
 * A PSI v5 server in a separate process. It answers every page with a different result: tables, and a screenshot that
 * hardly compresses. `KILOBYTES` is the size of a result as JSON, `MILLISECONDS` the time that each answer takes.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { startFakePsi, toPsiBody } from '../test/support/analysers/fake-psi.ts';

const bytes = Number(process.env.KILOBYTES) * 1024;
/** Share of the full-page screenshot in the result. */
const screenshotBytes = bytes / 16;
const bytesPerRow = 640;

const toRow = (url: string, row: number) => ({
  url: `${url}/assets/chunk-${row}.js?v=${randomBytes(4).toString('hex')}`,
  protocol: 'h2',
  networkRequestTime: row * 3.25,
  transferSize: 1000 + row,
  resourceSize: 3000 + row,
  statusCode: 200,
  mimeType: 'application/javascript',
  node: {
    type: 'node',
    lhId: `page-${row}-SCRIPT`,
    path: `1,HTML,1,BODY,${row},SCRIPT`,
    selector: `body > main.content > section:nth-child(${row}) > script`,
    boundingRect: { top: row, bottom: row + 10, left: 0, right: 412, width: 412, height: 10 },
    snippet: `<script src="/assets/chunk-${row}.js" data-module="${row}" defer="">`,
    nodeLabel: `body > main.content > section:nth-child(${row}) > script`,
  },
});

const hooks: (() => Promise<void> | void)[] = [];
const fake = await startFakePsi({ after: hook => void hooks.push(hook) });
const waitMs = Number(process.env.MILLISECONDS ?? 0);
fake.answerWith(async call => {
  if (waitMs > 0) await delay(waitMs);
  const url = call.params.get('url') ?? '';
  const rows = Array.from({ length: (bytes - screenshotBytes) / bytesPerRow }, (_, row) => toRow(url, row));
  const data = `data:image/webp;base64,${randomBytes((screenshotBytes * 3) / 4).toString('base64')}`;
  const body = toPsiBody(call, { fullPageScreenshot: { screenshot: { data, width: 412, height: 20_000 }, nodes: {} } });
  const { audits } = body.lighthouseResult as { audits: Record<string, object> };
  audits['network-requests'] = {
    id: 'network-requests',
    title: 'Network Requests',
    description: 'Lists the network requests.',
    score: 1,
    scoreDisplayMode: 'informative',
    details: { type: 'table', headings: [], items: rows },
  };
  return { body };
});
console.log(fake.endpoint);
process.once('SIGTERM', async () => {
  for (const hook of hooks) await hook();
  process.exit(0);
});
