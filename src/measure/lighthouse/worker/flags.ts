/** Lighthouse's settings for a load. */
import type { Config, Flags } from 'lighthouse';
import { defaultSettings, throttling as presets } from 'lighthouse/core/config/constants.js';
import desktopConfig from 'lighthouse/core/config/desktop-config.js';
import psiDesktopConfig from 'lighthouse/core/config/lr-desktop-config.js';
import psiMobileConfig from 'lighthouse/core/config/lr-mobile-config.js';
import type { Calibration } from '../../../contract/stored/run-facts.ts';
import type { AuditSettings, PageLimits } from '../messages.ts';
import { toMultiplier } from './calibration.ts';

const configs: Record<AuditSettings['profile'], Record<AuditSettings['strategy'], Config | undefined>> = {
  lighthouse: { mobile: undefined, desktop: desktopConfig },
  psi: { mobile: psiMobileConfig, desktop: psiDesktopConfig },
};

/**
 * Settings of PageSpeed Insights in addition to its presets: pages with status 4xx/5xx are measured, with a warning.
 */
const psiFlags = { ignoreStatusCode: true, disableStorageReset: true, channel: 'lr' } as const;

/**
 * Returns only the limits that differ from Lighthouse's defaults: its presets have different limits, and the result
 * contains these settings.
 */
const toLimitFlags = ({ firstPaintMs, loadMs, quietMs }: PageLimits): Flags => ({
  ...(firstPaintMs === defaultSettings.maxWaitForFcp ? {} : { maxWaitForFcp: firstPaintMs }),
  ...(loadMs === defaultSettings.maxWaitForLoad ? {} : { maxWaitForLoad: loadMs }),
  ...(quietMs === defaultSettings.pauseAfterLoadMs
    ? {}
    : {
        pauseAfterFcpMs: quietMs,
        pauseAfterLoadMs: quietMs,
        networkQuietThresholdMs: quietMs,
        cpuQuietThresholdMs: quietMs,
      }),
});

/** Lighthouse applies latency and throughput with these factors, which Lantern does not export. */
const factors = { latency: 3.75, throughput: 0.9 };

const toApplied = (rttMs: number, throughputKbps: number): NonNullable<Flags['throttling']> => ({
  rttMs,
  throughputKbps,
  requestLatencyMs: rttMs * factors.latency,
  downloadThroughputKbps: throughputKbps * factors.throughput,
  uploadThroughputKbps: throughputKbps * factors.throughput,
});

/**
 * Returns the network of a variant. Lighthouse's desktop preset has a network for simulation only, which would not be
 * applied.
 */
function toNetwork({ strategy, variant }: AuditSettings): NonNullable<Flags['throttling']> {
  if (variant?.throttling) return toApplied(variant.throttling.rtt_ms, variant.throttling.throughput_kbps);
  if (variant?.throttlingMethod !== 'devtools') return {};
  const { cpuSlowdownMultiplier: _, ...mobile } = presets.mobileSlow4G;
  const { rttMs, throughputKbps } = presets.desktopDense4G;
  return strategy === 'mobile' ? mobile : toApplied(rttMs, throughputKbps);
}

/** Returns only the throttling fields that differ from the preset, because Lighthouse merges them. */
function toThrottling(audit: AuditSettings, calibration: Calibration | undefined): Flags {
  const cpuSlowdownMultiplier =
    audit.variant?.throttling?.cpu_slowdown_multiplier ??
    (calibration ? toMultiplier(calibration.benchmarkIndex) : undefined);
  const throttling = {
    ...toNetwork(audit),
    ...(cpuSlowdownMultiplier === undefined ? {} : { cpuSlowdownMultiplier }),
  };
  return Object.keys(throttling).length > 0 ? { throttling } : {};
}

/**
 * Returns the flags of a variant. They do not contain its headers: Lighthouse would send `extraHeaders` to every
 * origin, and store them in its result. The audit `bf-cache` is skipped, because it loads the page a second time; the
 * PageSpeed Insights presets lack it.
 */
const toVariantFlags = ({ profile, variant }: AuditSettings): Flags =>
  variant
    ? {
        throttlingMethod: variant.throttlingMethod,
        ...(profile === 'psi' ? {} : { skipAudits: ['bf-cache'] }),
      }
    : {};

/** Returns the patterns of the request and of a variant. */
const toBlocked = ({ block, variant }: AuditSettings): Flags => {
  const patterns = [...(block ?? []), ...(variant?.block ?? [])];
  return patterns.length > 0 ? { blockedUrlPatterns: patterns } : {};
};

export const toConfig = ({ profile, strategy }: AuditSettings): Config | undefined =>
  structuredClone(configs[profile][strategy]);

export const toFlags = (audit: AuditSettings, limits: PageLimits, calibration: Calibration | undefined): Flags => ({
  logLevel: 'silent',
  output: 'json',
  locale: audit.locale as NonNullable<Flags['locale']>,
  onlyCategories: [...audit.categories],
  ...(audit.profile === 'psi' ? psiFlags : {}),
  ...(audit.withoutFullPageScreenshot ? { disableFullPageScreenshot: true } : {}),
  ...toLimitFlags(limits),
  ...toVariantFlags(audit),
  ...toBlocked(audit),
  ...toThrottling(audit, calibration),
});
