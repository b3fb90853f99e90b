/**
 * The service in a process of its own that can be asked what it holds. An unhandled rejection ends it, as it would end
 * the real one. Run with `--expose-gc`; settings come from the environment.
 */
import pino from 'pino';
import { createService } from '../../src/service/service.ts';
import { readSettings } from '../../src/settings/settings.ts';
import type { Held } from './service-process.ts';

const service = await createService(readSettings(process.env), pino({ level: 'silent' }));

const count = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries([...new Set(names)].toSorted().map(name => [name, names.filter(other => other === name).length]));

/** Twice, with a turn between: what the first run lets go may hold more. */
async function weigh(): Promise<Held> {
  globalThis.gc?.();
  await new Promise(setImmediate);
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { heapBytes: heapUsed, residentBytes: rss, resources: count(process.getActiveResourcesInfo()) };
}

process.on('message', (order: 'weigh' | 'stop') => {
  if (order === 'stop') void service.close().then(() => process.exit(0));
  else void weigh().then(held => process.send?.(held));
});
process.on('disconnect', () => process.exit(1));
process.on('SIGINT', () => {});

const url = await service.listen();
await service.warmUp();
process.send?.(url);
