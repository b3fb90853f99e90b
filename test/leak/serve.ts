/**
 * The service in a separate process that reports its resources. An unhandled rejection ends it, like the real service.
 * It needs `--expose-gc`; settings come from the environment.
 */
import pino from 'pino';
import { createService } from '../../src/service/service.ts';
import { readSettings } from '../../src/settings/settings.ts';
import type { Held } from './service-process.ts';

const service = await createService(readSettings(process.env), pino({ level: 'silent' }));

const count = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries([...new Set(names)].toSorted().map(name => [name, names.filter(other => other === name).length]));

/**
 * Collects garbage twice, with a turn between, because objects freed by the first collection may have released others.
 */
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
