/**
 * The child process: one audit at a time, each in a fresh browser. It is reused because a warm process audits
 * faster (imports, compiled code); the browser is not, because state from one page must not touch the next.
 * It may run under an unprivileged user and knows nothing of the service: orders come in, results go out.
 */
import lighthouse, { type Config, type Flags } from 'lighthouse';
import desktopConfig from 'lighthouse/core/config/desktop-config.js';
import psiDesktopConfig from 'lighthouse/core/config/lr-desktop-config.js';
import psiMobileConfig from 'lighthouse/core/config/lr-mobile-config.js';
import type { Browser } from 'puppeteer-core';
import { endBrowser, launchBrowser } from './browser.ts';
import type { AuditSettings, WorkerOrder, WorkerReply } from './messages.ts';
import { NavigationFailure, watchNavigation } from './navigation-watch.ts';
import { keepArtifacts, reAudit } from './re-audit.ts';

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

async function measure(browser: Browser, audit: AuditSettings): Promise<WorkerReply> {
  try {
    const page = await browser.newPage();
    const config = structuredClone(configs[audit.profile][audit.strategy]);
    const watch = await watchNavigation(page);
    const outcome = await Promise.race([lighthouse(audit.url, toFlags(audit), config, page), watch.failed]);
    if (!outcome) throw new Error('Lighthouse returned nothing');
    if (audit.keepIn) await keepArtifacts(outcome.artifacts, audit.keepIn);
    return { type: 'result', lhr: JSON.stringify(outcome.lhr) };
  } catch (error) {
    const failure = { type: 'failed', during: 'audit', code: toCode(error), message: toText(error) } as const;
    return error instanceof NavigationFailure ? { ...failure, url: error.url } : failure;
  }
}

async function carryOut(order: WorkerOrder): Promise<void> {
  let browser: Browser | undefined;
  try {
    if (order.reAudit) return await reply({ type: 'result', lhr: JSON.stringify(await reAudit(order.reAudit)) });
    browser = await launchBrowser(order.browser, order.folder);
    await reply({ type: 'browser', pid: browser.process()?.pid ?? 0 });
    await reply(order.audit ? await measure(browser, order.audit) : { type: 'result', lhr: '' });
  } catch (error) {
    await reply({ type: 'failed', during: 'launch', code: toCode(error), message: toText(error) });
  } finally {
    if (browser) await endBrowser(browser);
    await reply({ type: 'idle' });
  }
}

// The service decides when a worker ends: a Ctrl-C meant for the service must not cut its running audits.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
// The pipe to the browser closes with this process, and the browser with it.
process.on('disconnect', () => process.exit(0));
process.on('message', (order: WorkerOrder) => void carryOut(order));
await reply({ type: 'ready' });
