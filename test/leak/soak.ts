/**
 * `npm run soak -- --audits 500`: audits two at a time on a service in a process of its own, 30 % of them of faulty
 * pages. Ends with 1 when a request got no answer or a wrong one, something was left, or memory grew by 10 %.
 */
import { parseArgs } from 'node:util';
import { outcomesOf } from '../faults/expectations.ts';
import { type FaultName, startFaultSite } from '../faults/fault-site.ts';
import { type AuditAnswer, audit, becomes, isAtRest } from './audits.ts';
import { createScriptScope } from './script-scope.ts';
import { foldersIn, leftProcesses, startServiceProcess } from './service-process.ts';
import { findBreaches, type Sample, soakTable } from './soak-report.ts';

const { values } = parseArgs({ options: { audits: { type: 'string', default: '500' } } });
const audits = Math.max(1, Number.parseInt(values.audits, 10) || 1);

/** Every kind of failure whose audit ends within seconds, and one that ends by its deadline. */
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

/** Seven fine pages, then three faults, and so on: 30 % at every moment. */
const nameOf = (index: number): FaultName => {
  if (index % 10 < 7) return 'fine';
  const fault = Math.floor(index / 10) * 3 + (index % 10) - 7;
  return faults[fault % faults.length] ?? 'fine';
};

const scope = createScriptScope();
const site = await startFaultSite(scope);
const service = await startServiceProcess(scope, { LIGHTHOUSE_TIMEOUT: '40' });
// What is loaded and compiled once is no growth.
await Promise.all(['fine', 'fine', 'crash', 'fine'].map(name => audit(service, site, name as FaultName)));
const answers: AuditAnswer[] = [];
const samples: Sample[] = [];
const unanswered: string[] = [];
const begun = performance.now();
const isSampledAt = (count: number) => count % Math.max(1, Math.floor(audits / 50)) === 0 || count === audits;

let next = 0;
async function runLane(): Promise<void> {
  while (next < audits) {
    const name = nameOf(next++);
    try {
      answers.push(await audit(service, site, name));
    } catch (error) {
      unanswered.push(`${name}: ${error instanceof Error ? (error.cause ?? error.message) : error}`);
      if (service.hasEnded()) throw new Error(`the service has ended: ${service.errors()}`);
    }
    const count = answers.length + unanswered.length;
    if (isSampledAt(count)) await sample(count);
  }
}

async function sample(count: number): Promise<void> {
  const { heapBytes, residentBytes, openFiles } = await service.weigh();
  samples.push({ heapBytes, residentBytes, openFiles });
  const wrong = answers.filter(isWrong).length;
  console.error(
    `${String(count).padStart(4)} of ${audits}, ${wrong} wrong, RSS ${(residentBytes / 1024 / 1024).toFixed(0)} MB, heap ${(heapBytes / 1024 / 1024).toFixed(1)} MB`,
  );
}

const isWrong = ({ name, code }: AuditAnswer) => !outcomesOf(name).includes((code ?? 'measured') as never);

await Promise.all([runLane(), runLane()]);
const minutes = (performance.now() - begun) / 60_000;
await becomes(() => isAtRest(service), 20_000);
const outcome = {
  audits,
  answers,
  wrong: answers.filter(isWrong),
  unanswered,
  samples,
  processesLeft: leftProcesses(service).length,
  foldersLeft: foldersIn(service.folder).length,
  errors: service.errors().trim(),
  minutes,
};
console.log(soakTable(outcome));
const breaches = findBreaches(outcome);
console.log(breaches.length === 0 ? 'Every bound is kept.' : `Broken:\n${breaches.join('\n')}`);
await scope.end(breaches.length === 0 ? 0 : 1);
