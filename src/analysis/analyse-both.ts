import { compareSides, planFor, type Side } from '../compare/compare-sides.ts';
import type { Comparison } from '../compare/comparison.ts';
import type { ReAuditOutcome } from '../compare/performance-causes.ts';
import type { LocalAnalyser } from '../lighthouse/pool.ts';
import type { Lhr } from '../report/lhr.ts';
import type { Report } from '../report/report.ts';
import type { AnalyseLocal, LocalAnalysis, LocalRequest } from './analyse-local.ts';
import type { AnalyseRemote, RemoteAnalysis } from './analyse-remote.ts';
import { type Outcome, settle } from './outcome.ts';
import type { OnProgress } from './progress.ts';

export type BothAnalyses = {
  psi: Outcome<Report>;
  lighthouse: Outcome<Report>;
  /** Null when a side failed. */
  comparison: Comparison | null;
};

export type BothSources = {
  analyseRemote: AnalyseRemote;
  analyseLocal: AnalyseLocal;
  local: Pick<LocalAnalyser, 'reAudit' | 'release'>;
  now?: () => number;
};

/** The comparison needs the whole result; the answer carries the Report without it. */
const toRemoteSide = ({ json }: RemoteAnalysis): Side => {
  const { lighthouse_result: lhr, ...report }: Report = JSON.parse(json.toString('utf8'));
  // It was held to its shape when it came from the remote analyser.
  return { report, lhr: lhr as Lhr };
};

/** Audits the local load again under the remote side's settings. A failure costs the split, not the comparison. */
async function auditAgain(
  local: BothSources['local'],
  psi: Side,
  { report, lhr, artifacts }: LocalAnalysis,
  signal: AbortSignal,
): Promise<ReAuditOutcome> {
  const steps = planFor(psi, { report, lhr });
  const settings = steps.flatMap(step => step.settings ?? []);
  if (settings.length < steps.length) return { reason: 'its throttling cannot be imitated' };
  if (steps.length === 0) return { results: [] };
  if (artifacts === undefined) return { reason: 'its artifacts were not kept' };
  const again = await settle(local.reAudit(artifacts, [{}, ...settings], signal), signal);
  return again.ok ? { results: again.value } : { reason: 'it took too long or failed' };
}

/** Measures a page remotely and locally at once, and finds out what sets them apart. @throws only when the caller left */
export async function analyseBoth(
  { analyseRemote, analyseLocal, local, now = Date.now }: BothSources,
  request: LocalRequest,
  { fresh, signal, onProgress }: { fresh: boolean; signal: AbortSignal; onProgress?: OnProgress | undefined },
): Promise<BothAnalyses> {
  const { url, strategy, categories } = request;
  const askedAtMs = now();
  const remote = analyseRemote({ url, strategy, categories }, { detailed: true, fresh, signal, onProgress }).then(
    toRemoteSide,
  );
  const own = analyseLocal(request, signal, { keepArtifacts: categories.includes('performance'), onProgress });
  try {
    const [psi, lighthouse] = await Promise.all([settle(remote, signal), settle(own, signal)]);
    const compare = async (remoteSide: Side, ownSide: LocalAnalysis) =>
      compareSides(remoteSide, ownSide, await auditAgain(local, remoteSide, ownSide, signal), askedAtMs);
    const comparison = psi.ok && lighthouse.ok ? await compare(psi.value, lighthouse.value) : null;
    return {
      psi: psi.ok ? { ok: true, value: psi.value.report } : psi,
      lighthouse: lighthouse.ok ? { ok: true, value: lighthouse.value.report } : lighthouse,
      comparison,
    };
  } finally {
    // Also for a local side that ends after its caller has left.
    own.then(({ artifacts }) => (artifacts === undefined ? undefined : local.release(artifacts))).catch(() => {});
  }
}
