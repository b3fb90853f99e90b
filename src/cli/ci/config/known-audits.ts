/** Audits of the installed Lighthouse, and those of earlier versions. */

/** Audits of metrics, which have a numeric value. */
export const metricAudits: ReadonlySet<string> = new Set([
  ...['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time', 'cumulative-layout-shift'],
  ...['speed-index', 'interactive', 'server-response-time'],
]);

/** Audits that Lighthouse 13 removed, and the insight that replaces each; undefined without a replacement. */
export const removedAudits: Readonly<Record<string, string | undefined>> = {
  'critical-request-chains': 'network-dependency-tree-insight',
  'dom-size': 'dom-size-insight',
  'duplicated-javascript': 'duplicated-javascript-insight',
  'efficient-animated-content': 'image-delivery-insight',
  'first-meaningful-paint': undefined,
  'font-display': 'font-display-insight',
  'font-size': undefined,
  'largest-contentful-paint-element': 'lcp-breakdown-insight',
  'layout-shifts': 'cls-culprits-insight',
  'lcp-lazy-loaded': 'lcp-discovery-insight',
  'legacy-javascript': 'legacy-javascript-insight',
  'modern-image-formats': 'image-delivery-insight',
  'no-document-write': undefined,
  'offscreen-images': undefined,
  'performance-budget': undefined,
  'preload-fonts': undefined,
  'prioritize-lcp-image': 'lcp-discovery-insight',
  'render-blocking-resources': 'render-blocking-insight',
  'tap-targets': 'target-size',
  'third-party-facades': undefined,
  'third-party-summary': 'third-parties-insight',
  'timing-budget': undefined,
  'uses-http2': 'modern-http-insight',
  'uses-long-cache-ttl': 'cache-insight',
  'uses-optimized-images': 'image-delivery-insight',
  'uses-passive-event-listeners': undefined,
  'uses-rel-preconnect': 'network-dependency-tree-insight',
  'uses-rel-preload': undefined,
  'uses-responsive-images': 'image-delivery-insight',
  'uses-text-compression': 'document-latency-insight',
  viewport: 'viewport-insight',
  'work-during-interaction': 'inp-breakdown-insight',
};

/** Returns the ids of all audits of the installed Lighthouse. */
export async function readAuditIds(): Promise<ReadonlySet<string>> {
  const { default: config } = await import('lighthouse/core/config/default-config.js');
  const names = (config.audits ?? []).flatMap(audit => (typeof audit === 'string' ? [audit] : []));
  return new Set(names.map(name => name.split('/').at(-1) ?? name));
}
