/** The process: settings in, service up, signals out. The only place that ends it. */
import pino from 'pino';
import { serviceVersion } from './http/health.get.ts';
import { createService } from './service.ts';
import { readSettings, SettingsError } from './settings.ts';
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
const log = pino({ level: settings.logLevel });
const service = createService(settings, log);

let stopping = false;
const stop = async (signal: string) => {
  if (stopping) process.exit(1);
  stopping = true;
  log.info({ signal }, 'stopping');
  await service.close();
  process.exit(0);
};
process.on('SIGTERM', signal => void stop(signal));
process.on('SIGINT', signal => void stop(signal));

const toReason = (error: unknown) => (error instanceof Error ? error.message : String(error));

try {
  await service.listen();
} catch (error) {
  console.error(`Rangelight cannot listen on ${settings.host}:${settings.port}: ${toReason(error)}`);
  process.exit(1);
}
console.log(service.describe());
if (!settings.loopbackOnly)
  log.warn(
    'Listening beyond this machine without authentication: anyone who can reach the service can make it open pages.',
  );
await service.warmUp();
