import type { ResultLinks } from '../../contract/result/result.ts';
import type { KeptFacts } from '../../contract/stored/kept.ts';
import type { EntryKind, EntrySource } from '../../storage/database/tables.ts';
import type { EntryFacts } from '../../storage/results/store.ts';

type Linked = {
  id: string;
  kind: EntryKind;
  source: EntrySource;
  /** Whether the Lighthouse result contains a screenshot. */
  hasScreenshot?: boolean;
  /** Whether its artifacts are stored on this machine. */
  hasArtifacts: boolean;
};

/** Returns links to the parts of an entry, as paths below the URL of the service. */
export function toLinks({
  id,
  kind,
  hasScreenshot = false,
  hasArtifacts,
}: Linked): Partial<ResultLinks> & Pick<ResultLinks, 'self'> {
  if (kind === 'experiment') return { self: `/experiments/${id}` };
  const self = `/results/${id}`;
  if (kind === 'failure') return { self };
  const report = `${self}/report`;
  if (kind === 'comparison') return { self, report };
  const artifacts = hasArtifacts ? { trace: `${self}/trace`, network_log: `${self}/network-log` } : {};
  const screenshot = hasScreenshot ? { screenshot: `${self}/screenshot` } : {};
  return { self, report, ...screenshot, ...artifacts };
}

/** Converts the facts of an entry to the form of lists. @param hasArtifacts whether its trace can be read here */
export const toKeptFacts = ({ analyser, ...entry }: EntryFacts, hasArtifacts: boolean): KeptFacts => ({
  id: entry.id,
  kind: entry.kind,
  group: entry.groupId,
  url: entry.url,
  source: entry.source,
  strategy: entry.strategy,
  profile: entry.profile,
  label: entry.label,
  conditions: entry.conditions,
  analyser: {
    kind: analyser.kind,
    host: analyser.host,
    lighthouse_version: analyser.lighthouseVersion,
    browser_version: analyser.browserVersion,
    machine_id: analyser.machineId,
  },
  fetched_at: new Date(entry.measuredAtMs).toISOString(),
  scores: entry.scores,
  metrics: entry.metrics,
  disturbed: entry.disturbed,
  performance_range: entry.performanceRange,
  error_code: entry.errorCode,
  page_status: entry.pageStatus,
  links: toLinks({
    id: entry.id,
    kind: entry.kind,
    source: entry.source,
    // Lighthouse takes the screenshot only for the performance category.
    hasScreenshot: entry.scores.performance !== null,
    hasArtifacts,
  }),
});
