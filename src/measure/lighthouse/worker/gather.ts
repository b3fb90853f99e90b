/** Loads a page and gathers its artifacts. */

import type { Artifacts } from 'lighthouse';
import { navigationGather } from 'lighthouse/core/gather/navigation-runner.js';
import { getFormatted } from 'lighthouse/shared/localization/format.js';
import type { Page } from 'puppeteer-core';
import { matchesPattern } from '../../../contract/experiments/url-patterns.ts';
import type { Calibration } from '../../../contract/stored/run-facts.ts';
import type { PageLimits, TimedAudit } from '../messages.ts';
import type { Proof } from './access/proof.ts';
import type { BrowserPause } from './browser-pause.ts';
import { useBenchmark } from './calibration.ts';
import type { RefusedOrigins } from './certificate-errors.ts';
import { toConfig, toFlags } from './flags.ts';
import { limitGatherers, startBudget } from './gather-limits.ts';
import {
  errorStatus,
  late,
  leadsToApp,
  type NavigationWatch,
  PageFailureSeen,
  toApp,
  watchNavigation,
} from './navigation-watch.ts';
import { withOwnAxeRules } from './own-axe-rules.ts';
import { sayLeft, sayUnfinished, toInvisibility, toPart } from './page-part.ts';
import type { PagePulse } from './page-pulse.ts';
import { startInterception } from './variant/interception.ts';
import { restoreServedAnswers } from './variant/served-answers.ts';

/** Returns the number of blocked requests for each pattern, including those that blocked none. */
function countBlocked(log: Artifacts['DevtoolsLog'], patterns: readonly string[]): Record<string, number> {
  const urls = new Map<string, string>();
  const blocked = new Set<string>();
  for (const { method, params } of log) {
    if (method === 'Network.requestWillBeSent') urls.set(params.requestId, params.request.url);
    if (method === 'Network.loadingFailed' && params.blockedReason === 'inspector') blocked.add(params.requestId);
  }
  const stopped = [...blocked].flatMap(id => urls.get(id) ?? []);
  return Object.fromEntries(
    patterns.map(pattern => [pattern, stopped.filter(url => matchesPattern(url, pattern)).length]),
  );
}

export type GatherOrder = {
  settings: TimedAudit;
  limits: PageLimits;
  calibration: Calibration | undefined;
  /** Shows that a private page was seen as a logged-in user sees it. */
  proof?: Proof | undefined;
  refused: RefusedOrigins;
};

/**
 * Returns the URL of an app to which the page led. Once in 300 times Puppeteer never reports this request: the redirect
 * to it failed before its headers arrived.
 */
function findApp(log: Artifacts['DevtoolsLog']): string | undefined {
  const documents = log.flatMap(({ method, params }) =>
    method === 'Network.requestWillBeSent' && params.type === 'Document' ? params : [],
  );
  return documents.find(({ frameId, request }) => frameId === documents[0]?.frameId && leadsToApp(request.url))?.request
    .url;
}

type Blank = { url: string; log: Artifacts['DevtoolsLog']; said: string };

/** Returns the failure of a page that painted nothing. @param said Lighthouse's message */
async function toBlank(
  page: Page,
  { status = 0, isLoading }: NavigationWatch,
  { url, log, said }: Blank,
): Promise<Error> {
  if (isLoading) return late(url);
  if (status >= 400) return errorStatus(status, url);
  const app = findApp(log);
  if (app) return toApp(app);
  const kind = await toInvisibility(page);
  return new PageFailureSeen('NO_FCP', `${said}${kind ? ` (Invisible: ${kind})` : ''}`);
}

/** Lighthouse's warning about stored data, which an access brings along on purpose. */
const isStorageWarning = (warning: unknown): boolean =>
  /driver\/storage\.js \| warningData/.test(
    typeof warning === 'object' && warning !== null && 'i18nId' in warning ? String(warning.i18nId) : '',
  );

/** @throws as soon as it is certain that the page cannot be measured */
export async function gather(
  page: Page,
  { settings, limits, calibration, proof, refused }: GatherOrder,
  pulse: PagePulse,
  pause: BrowserPause,
) {
  const gone = Promise.withResolvers<never>();
  gone.promise.catch(() => {});
  page.browser().once('disconnected', () => gone.reject(new Error('Connection closed.')));
  const watch = await watchNavigation(page, limits.documentMs, refused);
  useBenchmark(settings.benchmarkIndex ?? calibration?.measured.at(-1));
  const usual = toConfig(settings);
  const config = settings.withoutOtherAxeRules ? withOwnAxeRules(usual, settings.categories) : usual;
  const flags = toFlags(settings, limits, calibration);
  const interception = settings.variant && (await startInterception(page, settings, settings.variant, flags));
  await limitGatherers();
  const unfinished = new Map<string, string[]>();
  const endBudget = startBudget({
    totalMs: settings.totalMs,
    pausedMs: () => pause.pausedMs,
    onArtifact(artifact) {
      pause.gather(artifact);
      proof?.collect();
      // This artifact is the last one. Lighthouse itself leaves the page for it.
      if (artifact === 'BFCacheFailures') watch.stop();
      else watch.markLoaded();
    },
    async onUnfinished(artifact) {
      const part = await toPart(page, watch, pulse.isSilent);
      unfinished.set(part, [...(unfinished.get(part) ?? []), artifact]);
      if (pulse.isSilent) await pulse.stopScript();
    },
  });
  const gathering = navigationGather(page, settings.url, { config, flags });
  const gathered = await Promise.race([gathering, watch.failed, pulse.failed, gone.promise])
    .catch(async error => {
      await proof?.refuse(watch.status);
      throw error;
    })
    .finally(() => {
      endBudget();
      pulse.stop();
      watch.stop();
      interception?.stop();
    });
  const { artifacts } = gathered;
  await proof?.refuse(watch.status);
  const { PageLoadError: failure } = artifacts;
  if (failure?.code === 'NO_FCP')
    throw await toBlank(page, watch, {
      url: settings.url,
      log: artifacts.DevtoolsLogError ?? [],
      said: getFormatted(failure.friendlyMessage, 'en-US'),
    });
  if (proof) {
    artifacts.LighthouseRunWarnings = artifacts.LighthouseRunWarnings.filter(
      (warning: unknown) => !isStorageWarning(warning),
    );
    artifacts.LighthouseRunWarnings.unshift(...(await proof.demand()));
  }
  artifacts.LighthouseRunWarnings.unshift(...sayUnfinished(unfinished), ...sayLeft(watch));
  if (interception) artifacts.DevtoolsLog = restoreServedAnswers(artifacts.DevtoolsLog, interception.served);
  const { block } = settings;
  const blocked = block && block.length > 0 ? countBlocked(artifacts.DevtoolsLog, block) : undefined;
  return { ...gathered, hits: interception?.hits, blocked };
}
