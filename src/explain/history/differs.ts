import type { HistoryDifference } from '../../contract/stored/history.ts';
import type { Point } from './points.ts';

type Name = HistoryDifference['name'];

const facts: Readonly<Record<Name, (point: Point) => string | null>> = {
  lighthouse_version: ({ analyser }) => analyser.lighthouseVersion,
  browser_version: ({ analyser }) => analyser.browserVersion,
  profile: ({ profile }) => profile,
  analyser: ({ analyser: { kind, host } }) => (host === null ? kind : `${kind} ${host}`),
  machine_id: ({ analyser }) => analyser.machineId,
  label: ({ label }) => label,
};

/** A change is dated within one point: what changed one point beside it may still be its cause. */
const reach: Readonly<Record<Name, number>> = {
  lighthouse_version: 1,
  browser_version: 1,
  profile: 1,
  analyser: 1,
  machine_id: 1,
  // Often each point has another one, so only those at the change itself say something.
  label: 0,
};

/** What the points before and after a change were not measured alike with. @param at index of the first point after it */
export const toDiffers = (points: readonly Point[], at: number): HistoryDifference[] =>
  (Object.keys(facts) as Name[]).flatMap(name => {
    const [one, other] = [
      points[Math.max(0, at - 1 - reach[name])],
      points[Math.min(points.length - 1, at + reach[name])],
    ];
    const [before, after] = [one, other].map(point => (point ? facts[name](point) : null)) as [
      string | null,
      string | null,
    ];
    return before === after ? [] : [{ name, before, after }];
  });
