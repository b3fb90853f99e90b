/**
 * The child process: one audit at a time, each in a fresh browser. It is reused because a warm process audits
 * faster (imports, compiled code); the browser is not, because state from one page must not touch the next.
 * It may run under an unprivileged user and knows nothing of the service: orders come in, results go out.
 */
import lighthouse, { type Config, type Flags, type Result } from 'lighthouse';
import desktopConfig from 'lighthouse/core/config/desktop-config.js';
import psiDesktopConfig from 'lighthouse/core/config/lr-desktop-config.js';
import psiMobileConfig from 'lighthouse/core/config/lr-mobile-config.js';
import type { Browser, Page } from 'puppeteer-core';
import { endBrowser, launchBrowser } from './browser.ts';
import type { AuditSettings, WorkerOrder, WorkerReply } from './messages.ts';
import { watchNavigation } from './navigation-watch.ts';
import { hung, late, PageFailureSeen } from './page-failure-seen.ts';
import { type Pulse, watchPulse } from './page-pulse.ts';
import { keepArtifacts, reAudit } from './re-audit.ts';
import { followStages, type Stage } from './stages.ts';

const configs: Record<AuditSettings['profile'], Record<AuditSettings['strategy'], Config | undefined>> = {
  lighthouse: { mobile: undefined, desktop: desktopConfig },
  psi: { mobile: psiMobileConfig, desktop: psiDesktopConfig },
};

/** What PageSpeed Insights sets beside its presets: pages that answer 4xx/5xx are measured, and say so in a warning. */
const psiFlags = { ignoreStatusCode: true, disableStorageReset: true, channel: 'lr' } as const;

const toFlags = (audit: AuditSettings): Flags => ({
  logLevel: 'silent',
  output: 'json',
  locale: audit.locale as NonNullable<Flags['locale']>,
  onlyCategories: [...audit.categories],
  ...(audit.profile === 'psi' ? psiFlags : {}),
});

const reply = (message: WorkerReply) =>
  new Promise<void>(resolve => {
    if (process.connected) process.send?.(message, () => resolve());
    else resolve();
  });

const toText = (error: unknown) => (error instanceof Error ? error.message : String(error));
const toCode = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** While a page loads Lighthouse waits 30 s for a first paint; later its own scripts may keep the page busy for 60 s. */
const hungMs: Record<Stage, number> = { preparing: 30_000, loading: 30_000, gathering: 65_000, auditing: 65_000 };
const silentMs = 5_000;

/** A command that was never answered, by a page that answers nothing: the page hangs. */
const isUnanswered = (code: string | undefined) => code === undefined || code === 'PROTOCOL_TIMEOUT';

const toFailed = (error: unknown): WorkerReply => ({
  type: 'failed',
  during: 'audit',
  code: toCode(error),
  message: toText(error),
  ...(error instanceof PageFailureSeen && error.url ? { url: error.url } : {}),
});

/** Lighthouse on one page, cut short by whatever makes clear that nothing will come of it. @throws */
async function audit(page: Page, { url, ...settings }: AuditSettings, pulse: Pulse): Promise<Result> {
  const gone = Promise.withResolvers<never>();
  gone.promise.catch(() => {});
  page.browser().once('disconnected', () => gone.reject(new Error('Connection closed.')));
  const watch = await watchNavigation(page);
  const config = structuredClone(configs[settings.profile][settings.strategy]);
  const running = lighthouse(url, toFlags({ url, ...settings }), config, page);
  const outcome = await Promise.race([running, watch.failed, pulse.failed, gone.promise]).finally(() => {
    pulse.stop();
    watch.stop();
  });
  if (!outcome) throw new Error('Lighthouse returned nothing');
  if (outcome.lhr.runtimeError?.code === 'NO_FCP' && watch.isLoading) throw late(url);
  if (settings.keepIn) await keepArtifacts(outcome.artifacts, settings.keepIn);
  return outcome.lhr;
}

async function measure(browser: Browser, settings: AuditSettings): Promise<WorkerReply> {
  let stage: Stage = 'preparing';
  const unfollow = followStages(next => {
    stage = next;
    void reply({ type: 'stage', stage });
  });
  const page = await browser.newPage();
  const limits = { silentMs, hungMs: () => hungMs[stage] };
  const pulse = await watchPulse(page, limits, isSilent => void reply({ type: 'pulse', isSilent }));
  try {
    const lhr = await audit(page, settings, pulse);
    if (pulse.isSilent && lhr.runtimeError?.code === 'PROTOCOL_TIMEOUT') throw hung();
    return { type: 'result', lhr: JSON.stringify(lhr) };
  } catch (error) {
    return toFailed(pulse.isSilent && isUnanswered(toCode(error)) ? hung() : error);
  } finally {
    unfollow();
  }
}

/** The browser of the order under way, which may still be starting. */
let current: Promise<Browser> | undefined;

async function endCurrent(): Promise<void> {
  const browser = await current?.catch(() => undefined);
  if (browser) await endBrowser(browser);
  current = undefined;
}

async function carryOut(order: WorkerOrder): Promise<void> {
  try {
    if (order.reAudit) return await reply({ type: 'result', lhr: JSON.stringify(await reAudit(order.reAudit)) });
    current = launchBrowser(order.browser, order.folder);
    const browser = await current;
    await reply({ type: 'browser', pid: browser.process()?.pid ?? 0 });
    await reply(order.audit ? await measure(browser, order.audit) : { type: 'result', lhr: '' });
  } catch (error) {
    await reply({ type: 'failed', during: 'launch', code: toCode(error), message: toText(error) });
  } finally {
    await endCurrent();
    await reply({ type: 'idle' });
  }
}

/** The service lets go of a worker it wants no more, and of all when it dies: the browser goes first, then the worker. */
async function leave(): Promise<void> {
  await endCurrent();
  process.exit(0);
}

// The service decides when a worker ends: a Ctrl-C meant for the service must not cut its running audits.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
// Lighthouse forgets to await some of what it asks of a browser that is then ended. A worker is judged by its replies.
process.on('unhandledRejection', () => {});
process.on('disconnect', () => void leave());
process.on('message', (order: WorkerOrder) => void carryOut(order));
await reply({ type: 'ready' });
