/** Audits as clients ask for them: some wait, some leave, some have their processes killed under them. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Health } from '../../src/contract/health.ts';
import type { FaultName, FaultSite } from '../faults/fault-site.ts';
import { descendantsOf, isBrowser, isWorker, killProcess, type Process } from './process-tree.ts';
import { foldersIn, leftProcesses, type ServiceProcess } from './service-process.ts';

export type AuditAnswer = { name: FaultName; status: number; code: string | undefined; seconds: number };

type Target = Pick<ServiceProcess, 'url'>;
type Asked = { status: number; body: { code?: string } };

/** Each on a connection of its own: a kept one would count as something the service holds. */
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

/** Asks until it is so: there is no event to wait for across the process boundary. False when it is not in time. */
export async function becomes(isSo: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > end) return false;
    await wait(50);
  }
  return true;
}

/** When no audit runs and nothing of one is left but workers at rest. */
export const isAtRest = async (service: ServiceProcess): Promise<boolean> => {
  const { running, queued } = await localHealth(service);
  return running + queued === 0 && leftProcesses(service).length === 0 && foldersIn(service.folder).length === 0;
};

let occupied = 0;

/** An audit of a page that never answers; it ends by its deadline, or because its client disconnects or its processes die. */
function occupy(service: Target, site: FaultSite) {
  occupied += 1;
  const label = `?occupied-${occupied}`;
  const leaving = new AbortController();
  const answer = get(auditUrl(service, site.urlOf('never') + label), leaving.signal);
  answer.catch(() => {});
  return {
    answer,
    leave: () => leaving.abort(),
    /** Whether its page has been asked for; false when the audit ended before. */
    arrived: (): Promise<boolean> =>
      Promise.race([
        site.requests.waitFor(1, request => request.endsWith(label)).then(() => true),
        answer.then(() => false),
      ]),
  };
}

/** The same, under way. A deadline that is set short may be over before a busy machine has come so far: then again. */
export async function occupyNow(service: Target, site: FaultSite): Promise<ReturnType<typeof occupy>> {
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const client = occupy(service, site);
    if (await client.arrived()) return client;
  }
  throw new Error('no audit has come as far as its page within its deadline, five times');
}

/** Two that run and two that wait, and all four leave. */
export async function depart(service: Target, site: FaultSite): Promise<void> {
  const running = await Promise.all([occupyNow(service, site), occupyNow(service, site)]);
  const waiting = [occupy(service, site), occupy(service, site)];
  await becomes(async () => (await localHealth(service)).queued === 2, 5_000);
  for (const client of [...waiting, ...running]) client.leave();
}

export const victims = ['browser', 'worker'] as const;
export type Victim = (typeof victims)[number];

/** The youngest browser is the last audit's; the worker that works for it is its parent. */
function findVictim(service: { pid: number }, victim: Victim): Process | undefined {
  const all = descendantsOf(service.pid);
  const browser = all.filter(isBrowser).toSorted((a, b) => Number(b.startTime) - Number(a.startTime))[0];
  if (victim === 'browser') return browser;
  return all.find(each => isWorker(each) && descendantsOf(each.pid).some(({ pid }) => pid === browser?.pid));
}

/**
 * Kills the browser or the worker of an audit and gives what its client was told, and how long after. No other audit
 * may start meanwhile.
 * @throws when nothing was there to kill
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
