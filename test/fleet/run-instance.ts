/** One instance of a fleet as a process: the real service, with audits that only take time. */
import pino from 'pino';
import { createService } from '../../src/service/service.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { createSimulatedPool } from '../support/audits/simulated-pool.ts';

const durationMs = Number(process.env.AUDIT_MS ?? 500);
const settings = readSettings({
  PORT: '0',
  DATA_DIR: 'none',
  TARGETS: 'any',
  ...process.env,
});
const pool = settings.role === 'api' ? undefined : createSimulatedPool({ slots: 2, durationMs });
pool?.onAudit(({ request, signal }) => {
  console.log(`audit ${request.url}`);
  signal.addEventListener('abort', () => console.log(`aborted ${request.url}`));
});
const service = await createService(
  settings,
  pino({ level: process.env.LOG_LEVEL ?? 'silent' }, pino.destination(2)),
  undefined,
  {
    pool,
  },
);
console.log(await service.listen());

process.on('SIGTERM', async () => {
  await service.close();
  process.exit(0);
});
