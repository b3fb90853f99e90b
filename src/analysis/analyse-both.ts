import { type Comparison, compareReports } from '../compare/compare-reports.ts';
import type { Report } from '../report/report.ts';
import type { AnalyseLocal, LocalRequest } from './analyse-local.ts';
import type { AnalyseRemote } from './analyse-remote.ts';
import { type Outcome, settle } from './outcome.ts';

export type BothAnalyses = {
  psi: Outcome<Report>;
  lighthouse: Outcome<Report>;
  /** Null when a side failed. */
  comparison: Comparison | null;
};

/** Measures a page remotely and locally at once. @throws only when the caller left */
export async function analyseBoth(
  { analyseRemote, analyseLocal }: { analyseRemote: AnalyseRemote; analyseLocal: AnalyseLocal },
  request: LocalRequest,
  { fresh, signal }: { fresh: boolean; signal: AbortSignal },
): Promise<BothAnalyses> {
  const remote = analyseRemote(request, { detailed: false, fresh, signal }).then(
    ({ json }): Report => JSON.parse(json.toString('utf8')),
  );
  const local = analyseLocal(request, signal).then(({ report }) => report);
  const [psi, lighthouse] = await Promise.all([settle(remote, signal), settle(local, signal)]);
  const comparison = psi.ok && lighthouse.ok ? compareReports(psi.value, lighthouse.value) : null;
  return { psi, lighthouse, comparison };
}
