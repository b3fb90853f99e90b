import type { MeasureChange } from '../../contract/stored/change-verdict.ts';
import type { MeasureComparison } from '../statistics/compare-sets.ts';
import { type MeasureName, unitOf } from '../statistics/smallest-effect.ts';

/** Converts compared measures, by name, to those of the answer. */
export const toMeasures = (compared: Readonly<Partial<Record<MeasureName, MeasureComparison>>>) =>
  Object.fromEntries(
    Object.entries(compared).map(([name, { interval, confidence, ...measure }]): [string, MeasureChange] => [
      name,
      {
        unit: unitOf(name as MeasureName),
        ...measure,
        interval: interval && { low: interval[0], high: interval[1], confidence: confidence ?? 0 },
      },
    ]),
  );
