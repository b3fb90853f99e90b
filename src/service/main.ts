/** The process: settings in, service up, signals out. The only place that ends it. */
import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { serviceVersion } from '../contract/version.ts';
import { toUsage } from '../settings/flags.ts';
import { findMisspelledSettings, readSettings, SettingsError, secretsOf } from '../settings/settings.ts';
import { describeFault, StoreFaultError } from '../storage/database/fault.ts';
import { createLog } from '../telemetry/log.ts';
import { createService } from './service.ts';

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
const createServiceOrExit = async () => {
  try {
    return await createService(settings, log);
  } catch (error) {
    if (!(error instanceof StoreFaultError)) throw error;
    console.error(`Rangelight cannot start: ${describeFault(error)}`);
    process.exit(2);
  }
};

const service = await createServiceOrExit();

let stopping = false;
/**
 * Once in good order; the second time at once.
 * @param wait what running audits get to finish, and how long requests are still served before that
 */
const stop = async (exitCode: number, { graceMs = settings.shutdownGraceMs, delayMs = 0 } = {}) => {
  if (stopping) process.exit(1);
  stopping = true;
  try {
    await service.close(graceMs, delayMs);
  } catch (err) {
    log.error({ err }, 'the stop failed');
    process.exit(1);
  }
  process.exit(exitCode);
};

const onSignal = (signal: string) => {
  if (!stopping) {
    log.info({ signal }, 'stopping');
    // Ctrl-C: a person sees it.
    if (signal === 'SIGINT' || process.stderr.isTTY)
      console.error(
        `Rangelight stops: it waits up to ${settings.shutdownGraceMs / 1000} s for ${service.describeWork()}. Ctrl-C again ends it now.`,
      );
  }
  // A person at the keyboard is no balancer.
  void stop(0, signal === 'SIGTERM' ? { delayMs: settings.shutdownDelayMs } : {});
};
process.on('SIGTERM', onSignal);
process.on('SIGINT', onSignal);
// What started this process was killed. It gives the rest of this process a moment (bin/rangelight.js).
process.once('disconnect', () => {
  log.warn('stopping: the parent process has ended');
  if (!stopping) void stop(1, { graceMs: 0 });
});

/** An unexpected error: the state of the process is unknown, so it stops. */
const onUnexpected = (err: unknown, kind: string) => {
  log.fatal({ err }, kind);
  // More of the same while it stops must not cut the stop short.
  if (!stopping) void stop(1);
};
process.on('uncaughtException', onUnexpected);
process.on('unhandledRejection', reason => onUnexpected(reason, 'unhandledRejection'));

const toReason = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Other programs set HOST and PORT, too: shells, conda, platforms. */
const adviceOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return '. Another program listens there: choose another port with --port.';
  if (code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL' || code === 'EAI_AGAIN')
    return '. HOST is not an address of this machine: unset it, or start with --host 127.0.0.1.';
  return '';
};

const listenOrExit = async () => {
  try {
    return await service.listen();
  } catch (error) {
    console.error(
      `Rangelight cannot listen on ${settings.host}:${settings.port}: ${toReason(error)}${adviceOf(error)}`,
    );
    process.exit(1);
  }
};

/** Most of what a start makes is used once. A service that is asked little would keep it for long: some 20 MB. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
}

const url = await listenOrExit();
// Standard output has JSON lines only: programs read it. A person at a terminal gets the same as a sentence.
if (process.stderr.isTTY) console.error(service.describe());
log.info({ url }, service.describe());
for (const sentence of findMisspelledSettings(process.env)) log.warn(sentence);
if (!settings.loopbackOnly && settings.apiKeys.length === 0)
  log.warn(
    'Listening beyond this machine without API_KEYS: anyone who can reach the service can make it open pages, read cached results and clear the cache.',
  );
if (process.pid === 1)
  log.warn(
    'This process is PID 1: the processes that browsers leave behind stay as zombies. Start it under an init, with docker run --init.',
  );
await service.warmUp();
// What the launcher has Node keep; not only at the end, because a service may be killed.
flushCompileCache();
collectGarbage();
