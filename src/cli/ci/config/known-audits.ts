/** Audits of the installed Lighthouse, those of earlier versions, and the presets of Lighthouse CI. */

import { metricAudits as shownAsMetrics } from '../../../contract/result/advice.ts';

const toSet = (names: string): ReadonlySet<string> => new Set(names.trim().split(/\s+/));

/** Audits of metrics, which have a numeric value. */
export const metricAudits: ReadonlySet<string> = new Set([...shownAsMetrics, 'server-response-time']);

/**
 * Audits of earlier versions whose successor finds the same things in the same list. An insight that looks at more
 * (`image-delivery-insight`), at less, or only informs is no successor.
 */
export const renamedAudits: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'duplicated-javascript': 'duplicated-javascript-insight',
    'font-display': 'font-display-insight',
    'interaction-to-next-paint-insight': 'inp-breakdown-insight',
    'lcp-phases-insight': 'lcp-breakdown-insight',
    'legacy-javascript': 'legacy-javascript-insight',
    'render-blocking-resources': 'render-blocking-insight',
    'time-to-first-byte': 'server-response-time',
    'uses-http2': 'modern-http-insight',
    'uses-long-cache-ttl': 'cache-insight',
    viewport: 'viewport-insight',
  }),
);

/** Audits that Lighthouse removed, in version 13 or before, without a successor of the same meaning. */
export const removedAudits = toSet(`
  critical-request-chains dom-size efficient-animated-content font-size largest-contentful-paint-element
  lcp-lazy-loaded modern-image-formats no-document-write offscreen-images prioritize-lcp-image tap-targets
  third-party-facades third-party-summary uses-optimized-images uses-rel-preconnect uses-passive-event-listeners
  uses-responsive-images uses-responsive-images-snapshot uses-text-compression work-during-interaction
  first-meaningful-paint performance-budget timing-budget preload-fonts preload-lcp-image uses-rel-preload
  uses-webp-images first-cpu-idle estimated-input-latency content-width installable-manifest maskable-icon
  splash-screen themed-omnibox apple-touch-icon service-worker works-offline offline-start-url
  load-fast-enough-for-pwa without-javascript appcache-manifest pwa-cross-browser pwa-page-transitions
  pwa-each-page-has-url no-unload-listeners password-inputs-can-be-pasted-into no-vulnerable-libraries
  external-anchors-use-rel-noopener duplicate-id duplicate-id-active plugins
`);

/** Metrics that a budget.json could limit in earlier versions. */
export const removedMetrics = toSet('first-meaningful-paint first-cpu-idle estimated-input-latency time-to-first-byte');

export async function readAuditIds(): Promise<ReadonlySet<string>> {
  const { default: config } = await import('lighthouse/core/config/default-config.js');
  const names = (config.audits ?? []).flatMap(audit => (typeof audit === 'string' ? [audit] : []));
  return new Set(names.map(name => name.split('/').at(-1) ?? name));
}

/* The presets are those of @lhci/utils 0.15.1, as far as the installed Lighthouse has their audits. */

/** Audits that no preset asserts: they inform, are manual, or are newer than the presets. */
const inNoPreset = toSet(`
  interaction-to-next-paint final-screenshot js-libraries layout-shifts main-thread-tasks network-requests
  network-rtt network-server-latency resource-summary screenshot-thumbnails script-treemap-data total-blocking-time
  user-timings diagnostics metrics trusted-types-xss custom-controls-labels custom-controls-roles focus-traps
  focusable-controls managed-focus interactive-element-affordance logical-tab-order offscreen-content-hidden
  use-landmarks visual-order-follows-dom autocomplete-valid presentation-role-conflict svg-img-alt baseline
  structured-data agent-accessibility-tree webmcp-registered-tools webmcp-form-coverage webmcp-schema-validity
  llms-txt ard-schema inp-breakdown-insight lcp-breakdown-insight
`);

const listed = (names: Iterable<string> | string, value: unknown) =>
  Object.fromEntries([...(typeof names === 'string' ? toSet(names) : names)].map(name => [name, value]));

const recommended = {
  ...listed(
    `bootup-time cumulative-layout-shift first-contentful-paint largest-contentful-paint speed-index
    mainthread-work-breakdown max-potential-fid interactive dom-size-insight is-on-https server-response-time`,
    ['warn', {}],
  ),
  ...listed('cache-insight render-blocking-insight', ['warn', { maxLength: 0 }]),
  ...listed('unminified-css unminified-javascript unused-css-rules unused-javascript', ['error', { maxLength: 0 }]),
  'long-tasks': 'off',
};

/** Presets by name: the assertions that differ from "every audit is an error". */
const presets: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'lighthouse:all': {},
  'lighthouse:recommended': recommended,
  'lighthouse:no-pwa': { ...recommended, 'is-on-https': 'off' },
};

export const presetNames = Object.keys(presets);

/** Returns the assertions of a preset of Lighthouse CI, as a lighthouserc would list them. */
export const toPreset = (name: string, known: ReadonlySet<string>): Record<string, unknown> => ({
  ...listed(
    [...known].filter(id => !inNoPreset.has(id)),
    ['error', {}],
  ),
  ...presets[name],
});
