import type { Gap } from '../../contract/stored/history.ts';
import type { SeriesFailure } from '../../storage/results/store.ts';

type Reason = Gap['reasons'][number];

const toIso = (ms: number): string => new Date(ms).toISOString();

function toReasons(failures: readonly SeriesFailure[]): Reason[] {
  const reasons = new Map<string, Reason>();
  for (const { errorCode: code, pageStatus: page_status } of failures) {
    const key = `${code} ${page_status}`;
    const reason = reasons.get(key) ?? { code, page_status, failures: 0 };
    reasons.set(key, { ...reason, failures: reason.failures + 1 });
  }
  return [...reasons.values()].sort((a, b) => b.failures - a.failures);
}

/** `page error 503` */
const sayReason = ({ code, page_status }: Reason): string =>
  [code?.replaceAll('_', ' ') ?? 'failure', page_status].filter(word => word !== null).join(' ');

const sayReasons = (reasons: readonly Reason[]): string =>
  reasons.length === 1
    ? reasons.map(sayReason).join('')
    : reasons.map(reason => `${sayReason(reason)} (${reason.failures}×)`).join(', ');

function toGap(failures: readonly SeriesFailure[]): Gap {
  const times = failures.map(({ measuredAtMs }) => measuredAtMs);
  const [from, to] = [toIso(times[0] ?? 0), toIso(times.at(-1) ?? 0)];
  const reasons = toReasons(failures);
  const when = from === to ? `at ${from}` : `from ${from} to ${to}`;
  return { from, to, failures: failures.length, reasons, explanation: `${sayReasons(reasons)} ${when}` };
}

/** Failures with no point between them are one gap. Both in the order of their times. */
export function toGaps(pointTimesMs: readonly number[], failures: readonly SeriesFailure[]): Gap[] {
  const gaps: SeriesFailure[][] = [];
  let [passed, passedByLast] = [0, -1];
  for (const failure of failures) {
    while (passed < pointTimesMs.length && (pointTimesMs[passed] as number) <= failure.measuredAtMs) passed += 1;
    if (passed === passedByLast) gaps.at(-1)?.push(failure);
    else gaps.push([failure]);
    passedByLast = passed;
  }
  return gaps.map(toGap);
}
