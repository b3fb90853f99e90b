/** The process: settings in, service up, signals out. The only place that ends it. */
import { serviceVersion } from './http/health.get.ts';
import { createLog } from './log.ts';
import { createService } from './service.ts';
import { readSettings, SettingsError, secretsOf } from './settings.ts';
import { toUsage } from './usage.ts';

const args = process.argv.slice(2);
if (args.includes('--help')) {
  console.log(toUsage());
  process.exit(0);
}
if (args.includes('--version')) {
  console.log(serviceVersion);
  process.exit(0);
}

const readSettingsOrExit = () => {
  try {
    return readSettings(process.env, args);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
};

const settings = readSettingsOrExit();
const log = createLog(settings.logLevel, secretsOf(settings));
const service = createService(settings, log);

let stopping = false;
/** Once in good order; the second time at once. */
const stop = async (exitCode: number) => {
  if (stopping) process.exit(1);
  stopping = true;
  try {
    await service.close();
  } catch (err) {
    log.error({ err }, 'the stop failed');
    process.exit(1);
  }
  process.exit(exitCode);
};

const onSignal = (signal: string) => {
  if (!stopping) {
    log.info({ signal }, 'stopping');
    // Ctrl-C: somebody looks on.
    if (signal === 'SIGINT' || process.stderr.isTTY)
      console.error(
        `Rangelight stops: it waits up to ${settings.shutdownGraceMs / 1000} s for ${service.describeWork()}. Ctrl-C again ends it now.`,
      );
  }
  void stop(0);
};
process.on('SIGTERM', onSignal);
process.on('SIGINT', onSignal);

/** A fault nobody foresaw: what state is left is unknown, so nothing new is begun with it. */
const onFault = (err: unknown, kind: string) => {
  log.fatal({ err }, kind);
  // More of the same while it stops must not cut the stop short.
  if (!stopping) void stop(1);
};
process.on('uncaughtException', onFault);
process.on('unhandledRejection', reason => onFault(reason, 'unhandledRejection'));

const toReason = (error: unknown) => (error instanceof Error ? error.message : String(error));

try {
  await service.listen();
} catch (error) {
  console.error(`Rangelight cannot listen on ${settings.host}:${settings.port}: ${toReason(error)}`);
  process.exit(1);
}
console.log(service.describe());
if (!settings.loopbackOnly && settings.apiKeys.length === 0)
  log.warn(
    'Listening beyond this machine without API_KEYS: anyone who can reach the service can make it open pages, read cached results and clear the cache.',
  );
if (process.pid === 1)
  log.warn(
    'This process is PID 1: nobody collects the processes that browsers leave behind. Start it under an init, with docker run --init.',
  );
await service.warmUp();
