/**
 * `npm run soak -- --audits 500` requests audits, two at a time, of a service in a separate process; 30 % are of faulty
 * pages. The exit code is 1 if a request got no answer or a wrong one, something was left, or memory grew by 10 %.
 */
import { parseArgs } from 'node:util';
import { outcomesOf } from '../faults/expectations.ts';
import { type FaultName, type FaultSite, startFaultSite } from '../faults/fault-site.ts';
import { type AuditAnswer, audit, becomes, isAtRest } from './audits.ts';
import { runScript } from './run-script.ts';
import { foldersIn, leftProcesses, type ServiceProcess, startServiceProcess } from './service-process.ts';
import { findBreaches, type Sample, soakTable } from './soak-report.ts';

const { values } = parseArgs({ options: { audits: { type: 'string', default: '500' } } });
const audits = Math.max(1, Number.parseInt(values.audits, 10) || 1);

/** Every kind of failure that ends within seconds, and one that ends at its deadline. */
const faults: readonly FaultName[] = [
  'closed-port',
  '503',
  'crash',
  'pdf',
  'redirect-loop',
  'reset-in-body',
  'never',
  'tls-expired',
  'crash-out-of-memory',
  'html-attachment',
];

/** Seven good pages, then three faults, repeated: always 30 %. */
const nameOf = (index: number): FaultName => {
  if (index % 10 < 7) return 'fine';
  const fault = Math.floor(index / 10) * 3 + (index % 10) - 7;
  return faults[fault % faults.length] ?? 'fine';
};

const isWrong = ({ name, code }: AuditAnswer) => !outcomesOf(name).some(outcome => outcome === (code ?? 'measured'));
const isSampledAt = (count: number) => count % Math.max(1, Math.floor(audits / 50)) === 0 || count === audits;
const toReason = (error: unknown) => String(error instanceof Error ? (error.cause ?? error.message) : error);
const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);

/** Requests all audits, two at a time, and samples the resources of the service. */
async function runAudits(service: ServiceProcess, site: FaultSite) {
  const answers: AuditAnswer[] = [];
  const samples: Sample[] = [];
  const unanswered: string[] = [];
  let next = 0;

  const weigh = async (count: number) => {
    const { heapBytes, residentBytes, openFiles } = await service.weigh();
    samples.push({ heapBytes, residentBytes, openFiles });
    const wrong = answers.filter(isWrong).length;
    const sizes = `RSS ${megabytes(residentBytes)} MB, heap ${megabytes(heapBytes)} MB`;
    console.error(`${String(count).padStart(4)} of ${audits}, ${wrong} wrong, ${sizes}`);
  };
  const runOne = async (name: FaultName) => {
    try {
      answers.push(await audit(service, site, name));
    } catch (error) {
      if (service.hasEnded()) throw new Error(`the service has ended: ${service.errors()}`);
      unanswered.push(`${name}: ${toReason(error)}`);
    }
  };
  const runLane = async () => {
    while (next < audits) {
      await runOne(nameOf(next++));
      const count = answers.length + unanswered.length;
      if (isSampledAt(count)) await weigh(count);
    }
  };

  const begun = performance.now();
  await Promise.all([runLane(), runLane()]);
  return { answers, samples, unanswered, minutes: (performance.now() - begun) / 60_000 };
}

await runScript(async scope => {
  const site = await startFaultSite(scope);
  const service = await startServiceProcess(scope, { LIGHTHOUSE_TIMEOUT: '25' });
  // Warms up the service, because loading and compiling code is not growth.
  for (const name of ['fine', 'crash', 'fine'] as const) await audit(service, site, name);
  const run = await runAudits(service, site);
  await becomes(() => isAtRest(service), 20_000);
  const outcome = {
    ...run,
    audits,
    wrong: run.answers.filter(isWrong),
    processesLeft: leftProcesses(service).length,
    foldersLeft: foldersIn(service.folder).length,
    errors: service.errors().trim(),
  };
  console.log(soakTable(outcome));
  const breaches = findBreaches(outcome);
  console.log(breaches.length === 0 ? 'Every bound is kept.' : `Broken:\n${breaches.join('\n')}`);
  return breaches.length === 0 ? 0 : 1;
});
