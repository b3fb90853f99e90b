import type { ResultLinks } from '../../contract/result/result.ts';
import type { KeptFacts } from '../../contract/stored/kept.ts';
import type { EntryFacts, EntryKind, EntrySource } from '../../storage/results/store.ts';

type Linked = {
  id: string;
  kind: EntryKind;
  source: EntrySource;
  /** Whether its Lighthouse result has one. */
  hasScreenshot?: boolean;
  /** Whether its artifacts are stored on this machine. */
  hasArtifacts: boolean;
};

/** Where the parts of an entry are, as paths below the address of the service. */
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

/** The facts of an entry as a list has them. @param hasArtifacts whether its trace can be read here */
export const toKeptFacts = ({ analyser, ...entry }: EntryFacts, hasArtifacts: boolean): KeptFacts => ({
  id: entry.id,
  kind: entry.kind,
  group: entry.groupId,
  url: entry.url,
  source: entry.source,
  strategy: entry.strategy,
  profile: entry.profile,
  label: entry.label,
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
    // Lighthouse takes it for the performance category alone.
    hasScreenshot: entry.scores.performance !== null,
    hasArtifacts,
  }),
});
