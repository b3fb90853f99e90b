/** The main process: reads the settings, starts the service, and handles signals. Only this module ends the process. */
import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { serviceVersion } from '../contract/version.ts';
import { toUsage } from '../settings/flags.ts';
import { findMisspelledSettings, readSettings, SettingsError, secretsOf } from '../settings/settings.ts';
import { describeFault, StoreFaultError } from '../storage/database/fault.ts';
import { createLog, toSentence } from '../telemetry/log.ts';
import { createService } from './service.ts';
import { onStopSignals } from './stop-signals.ts';

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
/** Programs read JSON lines; a person at a terminal, who did not ask for a level, reads sentences. */
const isForPeople = process.stdout.isTTY && !process.env.LOG_LEVEL && !args.some(arg => arg.startsWith('--log-level'));
const sentences = { write: (line: string) => void process.stdout.write(toSentence(line)) };
const log = createLog(settings.logLevel, secretsOf(settings), isForPeople ? sentences : undefined);
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
/** @param wait grace period for running audits, and how long requests are still served before it */
const stop = async (exitCode: number, { graceMs = settings.shutdownGraceMs, delayMs = 0 } = {}) => {
  if (stopping) return;
  stopping = true;
  try {
    await service.close(graceMs, delayMs);
  } catch (err) {
    log.error({ err }, 'the stop failed');
    process.exit(1);
  }
  process.exit(exitCode);
};

onStopSignals(['SIGTERM', 'SIGINT'], {
  onFirst(signal) {
    if (stopping) process.exit(1);
    log.info({ signal }, 'stopping');
    // A user at a terminal sees this message after Ctrl-C.
    if (signal === 'SIGINT' || process.stderr.isTTY)
      console.error(
        `Rangelight stops: it waits up to ${settings.shutdownGraceMs / 1000} s for ${service.describeWork()}. Ctrl-C again ends it now.`,
      );
    // Only load balancers need the delay, so Ctrl-C skips it.
    void stop(0, signal === 'SIGTERM' ? { delayMs: settings.shutdownDelayMs } : {});
  },
  onAgain: () => process.exit(1),
});
// The parent process was killed. The launcher gives this process time to stop (bin/rangelight.js).
process.once('disconnect', () => {
  log.warn('stopping: the parent process has ended');
  void stop(1, { graceMs: 0 });
});

/** Stops after an unexpected error, because the state of the process is unknown. */
const onUnexpected = (err: unknown, kind: string) => {
  log.fatal({ err }, kind);
  void stop(1);
};
process.on('uncaughtException', onUnexpected);
process.on('unhandledRejection', reason => onUnexpected(reason, 'unhandledRejection'));

const toReason = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Returns advice for an error. Other programs set HOST and PORT too: shells, conda, platforms. */
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

/**
 * Collects garbage after the start, because most objects created during the start are used only once. An idle service
 * would otherwise retain about 20 MB.
 */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // V8 forgets the shape of ticks if none exists during the collection. Every later tick would then take 1 µs.
  process.nextTick(() => {});
  collect();
}

const url = await listenOrExit();
// A person at a terminal reads where the service is, what it measures with, and how to stop it.
if (process.stderr.isTTY) console.error(`${service.describe().replace(' · ', '\n')}\nCtrl-C stops it.`);
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
// The launcher enables Node's compile cache. It is written now, because a service may be killed before it exits.
flushCompileCache();
collectGarbage();
