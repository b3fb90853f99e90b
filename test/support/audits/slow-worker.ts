/**
 * A worker that becomes ready once its folder for temporary files contains a file `gate`. At its start it writes a file
 * named `worker-PID` there. It answers every order at once and loads no page.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createLines } from '../../../src/measure/lighthouse/messages.ts';
import { buildPlainLhr } from '../builders/lhr.ts';

const folder = process.env.TMPDIR ?? '';
const service = new Socket({ fd: 3 });
const send = (message: unknown) => void service.write(`${JSON.stringify(message)}\n`);

writeFileSync(join(folder, `worker-${process.pid}`), '');
const environment = { hostUserAgent: `worker ${process.pid}` };
service.on(
  'data',
  createLines(() => {
    const result = JSON.stringify({ ...buildPlainLhr(), environment });
    service.write(`${JSON.stringify({ type: 'result', bytes: Buffer.byteLength(result) })}\n${result}`);
    send({ type: 'idle' });
    return undefined;
  }),
);
service.on('close', () => process.exit());

const look = setInterval(() => {
  if (!existsSync(join(folder, 'gate'))) return;
  clearInterval(look);
  send({ type: 'ready' });
}, 20);
