import type { ResultLinks } from '../../contract/result/kept-fields.ts';
import type { EntryKind, EntrySource } from '../../storage/results/store.ts';

export type Linked = {
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
  const self = `/results/${id}`;
  if (kind === 'failure') return { self };
  const report = `${self}/report`;
  if (kind === 'comparison') return { self, report };
  const artifacts = hasArtifacts ? { trace: `${self}/trace`, network_log: `${self}/network-log` } : {};
  const screenshot = hasScreenshot ? { screenshot: `${self}/screenshot` } : {};
  return { self, report, ...screenshot, ...artifacts };
}
