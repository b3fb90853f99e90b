/** Facts about a load that only the measuring machine knows, as its worker sends them with a Lighthouse result. */
import Type, { type Static } from 'typebox';
import { closed, workerText } from '../fields.ts';
import { paintMetrics } from '../names.ts';
import { Cost } from './what-if-order.ts';

const index = Type.Number({ exclusiveMinimum: 0 });
const milliseconds = Type.Number({ minimum: 0 });

/** Basis of a calibrated multiplier. */
const Calibration = closed({
  benchmarkIndex: index,
  measurements: Type.Integer({ minimum: 1, maximum: 100 }),
  /** Indices among them that were measured for the calibration. */
  measured: Type.Array(index, { maxItems: 10 }),
});
export type Calibration = Static<typeof Calibration>;

/** Time that main-thread tasks waited for a CPU. */
const ProcessorWait = closed({
  waitedMs: milliseconds,
  /** CPU time of other programs during the load. No task waited longer than that for other programs. */
  othersMs: Type.Optional(milliseconds),
  /** Score (0 to 1), blocking time and the paints that it delayed without that wait, if they may differ. */
  without: Type.Optional(
    closed({
      performance: Type.Number({ minimum: 0, maximum: 1 }),
      totalBlockingMs: milliseconds,
      /** Absent in older fleets. */
      laterPaints: Type.Optional(
        Type.Partial(Type.Record(Type.Enum([...paintMetrics]), milliseconds), {
          additionalProperties: false,
        }),
      ),
    }),
  ),
  /** Milliseconds between the page's last work before a late first contentful paint and that paint. */
  paintWaitMs: Type.Optional(Type.Integer({ minimum: 0 })),
});
export type ProcessorWait = Static<typeof ProcessorWait>;

const counts = Type.Record(workerText, Type.Integer({ minimum: 0 }), { maxProperties: 100 });

/** Facts about a run that the worker sends with its result. */
export const RunFacts = closed({
  /** Benchmark index in the result. */
  benchmarkIndex: Type.Optional(index),
  calibration: Type.Optional(Calibration),
  processorWait: Type.Optional(ProcessorWait),
  /** Part of the layout shift from before the whole HTML was painted. */
  earlyShift: Type.Optional(Type.Number({ minimum: 0 })),
  /** Number of times that each change of a variant was applied; present for a load with a variant. */
  hits: Type.Optional(counts),
  /** Number of requests that each pattern of `block` stopped. */
  blocked: Type.Optional(counts),
  /** Gain of the load from each fix; absent if it was not simulated. */
  costs: Type.Optional(Type.Array(Cost, { maxItems: 50 })),
});
export type RunFacts = Static<typeof RunFacts>;
