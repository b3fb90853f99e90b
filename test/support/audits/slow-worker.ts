/**
 * A worker that becomes ready once its folder for temporary files contains a file `gate`. At its start it writes a file
 * named `worker-PID` there. It answers every order at once and loads no page.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { WorkerCaller } from '../../../src/measure/lighthouse/messages.ts';
import type { WorkerSide } from '../../../src/measure/lighthouse/replies.ts';
import { toPipeWire } from '../../../src/measure/pipe-wire.ts';
import { openPort } from '../../../src/measure/port.ts';
import { buildPlainLhr } from '../builders/lhr.ts';

const folder = process.env.TMPDIR ?? '';

writeFileSync(join(folder, `worker-${process.pid}`), '');
const environment = { hostUserAgent: `worker ${process.pid}` };
const wire = toPipeWire(new Socket({ fd: 3 }), { onClose: () => process.exit() });
const port = openPort<WorkerSide, WorkerCaller>(wire, {
  onNotice: { pause: () => {} },
  onCall: {
    async carryOut() {
      setImmediate(() => port.notify('idle', null));
      return { data: {}, bytes: Buffer.from(JSON.stringify({ ...buildPlainLhr(), environment })) };
    },
  },
  toFailure: () => ({ during: 'audit', message: '' }),
  fromFailure: () => new Error('the service refused'),
});

const look = setInterval(() => {
  if (!existsSync(join(folder, 'gate'))) return;
  clearInterval(look);
  port.notify('ready', null);
}, 20);
