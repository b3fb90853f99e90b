/** Audits requested as clients do: some wait, some disconnect, some lose their processes. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Health } from '../../src/contract/health.ts';
import type { FaultName, FaultSite } from '../faults/fault-site.ts';
import { descendantsOf, isBrowser, isWorker, killProcess, type Process } from './process-tree.ts';
import { foldersIn, leftProcesses, type ServiceProcess } from './service-process.ts';

export type AuditAnswer = { name: FaultName; status: number; code: string | undefined; seconds: number };

type Target = Pick<ServiceProcess, 'url'>;
type Asked = { status: number; body: { code?: string } };

/** Each request uses a new connection, because a kept-alive one would count as a resource of the service. */
async function get(url: string, signal?: AbortSignal): Promise<Asked> {
  const init = { headers: { connection: 'close' }, ...(signal && { signal }) };
  const response = await fetch(url, init);
  return { status: response.status, body: (await response.json()) as Asked['body'] };
}

const auditUrl = (service: Target, page: string) =>
  `${service.url}/lighthouse?categories=seo&url=${encodeURIComponent(page)}`;

export async function audit(service: Target, site: FaultSite, name: FaultName): Promise<AuditAnswer> {
  const begun = performance.now();
  const { status, body } = await get(auditUrl(service, site.urlOf(name)));
  return { name, status, code: body.code, seconds: (performance.now() - begun) / 1000 };
}

export const localHealth = async (service: Target): Promise<Health['lighthouse']> =>
  ((await get(`${service.url}/health`)).body as unknown as Health).lighthouse;

/**
 * Polls a condition, because there are no events across the process boundary.
 * @returns false if the condition was not met in time
 */
export async function becomes(isSo: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > end) return false;
    await wait(50);
  }
  return true;
}

/** Whether no audit runs and nothing is left of one except idle workers. */
export const isAtRest = async (service: ServiceProcess): Promise<boolean> => {
  const { running, queued } = await localHealth(service);
  return running + queued === 0 && leftProcesses(service).length === 0 && foldersIn(service.folder).length === 0;
};

let occupied = 0;

/**
 * Requests an audit of a page that never answers. It ends at its deadline, or if its client disconnects or its
 * processes die.
 */
function occupy(service: Target, site: FaultSite) {
  occupied += 1;
  const label = `?occupied-${occupied}`;
  const leaving = new AbortController();
  const answer = get(auditUrl(service, site.urlOf('never') + label), leaving.signal);
  answer.catch(() => {});
  return {
    answer,
    leave: () => leaving.abort(),
    /** @returns whether the page was requested; false if the audit ended before */
    arrived: (): Promise<boolean> =>
      Promise.race([
        site.requests.waitFor(1, request => request.endsWith(label)).then(() => true),
        answer.then(() => false),
      ]),
  };
}

/**
 * Requests an audit of a page that never answers, and waits until the page is requested. It tries again if a short
 * deadline ends the audit first on a busy machine.
 */
export async function occupyNow(service: Target, site: FaultSite): Promise<ReturnType<typeof occupy>> {
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const client = occupy(service, site);
    if (await client.arrived()) return client;
  }
  throw new Error('no audit has come as far as its page within its deadline, five times');
}

/** Two running and two queued clients, all of which disconnect. */
export async function depart(service: Target, site: FaultSite): Promise<void> {
  const running = await Promise.all([occupyNow(service, site), occupyNow(service, site)]);
  const waiting = [occupy(service, site), occupy(service, site)];
  const areQueued = await becomes(async () => (await localHealth(service)).queued === 2, 5_000);
  if (!areQueued) throw new Error('two requests behind two running audits are not both queued');
  for (const client of [...waiting, ...running]) client.leave();
}

export const victims = ['browser', 'worker'] as const;
export type Victim = (typeof victims)[number];

/** The newest browser belongs to the last audit; the worker of that audit is its ancestor. */
function findVictim(service: { pid: number }, victim: Victim): Process | undefined {
  const all = descendantsOf(service.pid);
  const browser = all.filter(isBrowser).toSorted((a, b) => Number(b.startTime) - Number(a.startTime))[0];
  if (victim === 'browser') return browser;
  return all.find(each => isWorker(each) && descendantsOf(each.pid).some(({ pid }) => pid === browser?.pid));
}

/**
 * Kills the browser or the worker of an audit, and returns the client's answer and its delay. No other audit may start
 * at the same time.
 * @throws Error if there was nothing to kill
 */
export async function killDuringAudit(
  service: { url: string; pid: number },
  site: FaultSite,
  victim: Victim,
): Promise<AuditAnswer> {
  const client = await occupyNow(service, site);
  const found = findVictim(service, victim);
  const begun = performance.now();
  if (!found || !killProcess(found)) throw new Error(`no ${victim} was found to kill`);
  const { status, body } = await client.answer;
  return { name: 'never', status, code: body.code, seconds: (performance.now() - begun) / 1000 };
}
