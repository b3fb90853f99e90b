/**
 * What a worker may send. It loads untrusted pages and the service may run as root, so all other data are refused. The
 * worker itself imports only the types.
 */
import Type, { type Static, type TProperties, type TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { Seen } from '../../contract/access/seen.ts';
import { stages } from '../../contract/analysis/progress.ts';
import { type DelayedPaint, delayedPaints } from '../../contract/result/environment.ts';
import { filePlaces, type LoadFacts } from '../../contract/result/load-facts.ts';
import type { Cost, WhatIfFacts, WhatIfOrder } from '../../contract/stored/what-if-order.ts';
import type { PortMessage } from '../port.ts';
import { maxTextLength } from './messages.ts';

const text = Type.String({ maxLength: maxTextLength });

const processId = Type.Integer({ minimum: 2, maximum: 0x7fff_ffff });

const index = Type.Number({ exclusiveMinimum: 0 });

const milliseconds = Type.Number({ minimum: 0 });

const object = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });

const none = Type.Null();

const notices = {
  /** Lighthouse is imported; the worker accepts orders. */
  ready: none,
  /** Process id of the browser, which is also its process group. */
  browser: object({ pid: processId }),
  /** Process id of the spare browser. */
  spare: object({ pid: processId }),
  /** Process id of the browser that logs in, next to that of the order. */
  login: object({ pid: processId }),
  /** Current stage of the audit. */
  stage: object({ stage: Type.Enum([...stages]) }),
  /** A rest of the load, in which it uses almost no CPU time, has started or ended. */
  rest: object({ rest: Type.Enum(['waiting', 'quiet']), isAtRest: Type.Boolean() }),
  /** Whether the page's main thread has not answered for a few seconds. */
  pulse: object({ isSilent: Type.Boolean() }),
  /**
   * The browser has ended, the spare one is running or cannot start, and the worker is free. This follows every answer
   * and failure.
   */
  idle: none,
};

/** Waits for the service's permission to start a phase: loading the page, or computing the result. */
const ask = object({ phase: Type.Enum(['load', 'compute']) });
export type AskedPhase = Static<typeof ask>['phase'];

/** Basis of a calibrated multiplier. */
const calibration = object({
  benchmarkIndex: index,
  measurements: Type.Integer({ minimum: 1, maximum: 100 }),
  /** Indices among them that were measured for the calibration. */
  measured: Type.Array(index, { maxItems: 10 }),
});
export type Calibration = Static<typeof calibration>;

/** Time that main-thread tasks waited for a CPU. */
const processorWait = object({
  waitedMs: milliseconds,
  /** CPU time of other programs during the load. No task waited longer than that for other programs. */
  othersMs: Type.Optional(milliseconds),
  /** Score (0 to 1), blocking time and the paints that it delayed without that wait, if they may differ. */
  without: Type.Optional(
    object({
      performance: Type.Number({ minimum: 0, maximum: 1 }),
      totalBlockingMs: milliseconds,
      laterPaints: Type.Partial(
        object(
          Object.fromEntries(delayedPaints.map(name => [name, milliseconds])) as Record<
            DelayedPaint,
            typeof milliseconds
          >,
        ),
      ),
    }),
  ),
  /** Milliseconds between the page's last work before a late first contentful paint and that paint. */
  paintWaitMs: Type.Optional(Type.Integer({ minimum: 0 })),
});
export type ProcessorWait = Static<typeof processorWait>;

const cost = object({
  id: text,
  points: Type.Number({ minimum: -100, maximum: 100 }),
  saved: object({
    first_contentful_paint: milliseconds,
    largest_contentful_paint: milliseconds,
    total_blocking_time: milliseconds,
    speed_index: milliseconds,
  }),
  files: Type.Array(text, { maxItems: 3 }),
  bytes: milliseconds,
  mainThreadMs: milliseconds,
});

const counts = Type.Record(text, Type.Integer({ minimum: 0 }), { maxProperties: 100 });

/** Facts about a run that the worker sends with its result. */
const runFacts = object({
  /** Benchmark index in the result. */
  benchmarkIndex: Type.Optional(index),
  calibration: Type.Optional(calibration),
  processorWait: Type.Optional(processorWait),
  /** Part of the layout shift from before the whole HTML was painted. */
  earlyShift: Type.Optional(Type.Number({ minimum: 0 })),
  /** Number of times that each change of a variant was applied; present for a load with a variant. */
  hits: Type.Optional(counts),
  /** Number of requests that each pattern of `block` stopped. */
  blocked: Type.Optional(counts),
  /** What the load would gain from each fix; absent if it was not simulated. */
  costs: Type.Optional(Type.Array(cost, { maxItems: 50 })),
});
export type RunFacts = Omit<Static<typeof runFacts>, 'costs'> & { costs?: readonly Cost[] };

const failure = object({
  during: Type.Enum(['launch', 'audit']),
  code: Type.Optional(text),
  message: text,
  /** URL of the document that failed, if one did. */
  url: Type.Optional(text),
  /** What the browser showed, if the page needs a login. */
  seen: Type.Optional(Seen),
});

export type WorkerSide = {
  calls: { ask: { order: Static<typeof ask>; answer: null } };
  notices: { [N in keyof typeof notices]: Static<(typeof notices)[N]> };
  failure: Static<typeof failure>;
};

const callId = Type.Integer({ minimum: 1 });

const message = Type.Union([
  ...Object.entries(notices).map(([name, data]) => object({ notice: Type.Literal(name), data })),
  object({ call: callId, name: Type.Literal('ask'), data: ask }),
  object({ answer: callId, data: runFacts, bytes: Type.Integer({ minimum: 0, maximum: 64 * 2 ** 20 }) }),
  object({ failure: callId, data: failure }),
]);

/** Reads one line of JSON. @throws if it is not a message of a worker */
export const readMessage = (line: string): PortMessage => readAs(message, line) as PortMessage;

/** @throws if the JSON does not have this shape */
function readAs<S extends TSchema>(schema: S, json: string): Static<S> {
  const value: unknown = JSON.parse(json);
  if (Check(schema, value)) return value;
  throw new Error('not of the required shape');
}

const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

/** Metrics of the performance score by audit id: score 0–1, value in the metric's own unit. */
const reAuditResult = Type.Record(
  Type.String(),
  Type.Object({ score: orNull(Type.Number({ minimum: 0, maximum: 1 })), value: orNull(Type.Number()) }),
);
export type ReAuditResult = Readonly<Static<typeof reAuditResult>>;

const fileFacts = object({
  type: Type.String({ maxLength: 40 }),
  requests: Type.Integer({ minimum: 1 }),
  bytes: Type.Number(),
  resourceBytes: Type.Number(),
  priority: Type.String({ maxLength: 40 }),
  place: Type.Enum([...filePlaces]),
  cpuMs: milliseconds,
});
const loadFacts = object({
  files: Type.Record(Type.String({ maxLength: 500 }), fileFacts),
  otherCpuMs: milliseconds,
  benchmarkIndex: orNull(index),
  observedSpeedIndex: orNull(milliseconds),
  isSimulated: Type.Boolean(),
  latencyMs: Type.Record(Type.String(), Type.Number()),
});

/** @throws if the text does not contain the facts of a load */
export const readLoadFacts = (json: string): LoadFacts => readAs(loadFacts, json);

const simulated = object({
  score: Type.Number({ minimum: 0, maximum: 1 }),
  firstContentfulPaintMs: milliseconds,
  largestContentfulPaintMs: milliseconds,
  totalBlockingMs: milliseconds,
  speedIndexMs: milliseconds,
});
const network = { rttMs: milliseconds, throughputKbps: milliseconds };
const breakPoint = <S extends TSchema>(at: S) => object({ at: orNull(at), isSlowest: Type.Boolean() });
const whatIfFacts = object({
  own: object({ cpu: milliseconds, ...network }),
  base: simulated,
  cells: Type.Array(simulated),
  breakPoints: Type.Array(object({ cpu: breakPoint(milliseconds), network: breakPoint(object(network)) })),
  removals: Type.Array(
    object({
      kind: Type.Enum(['third_party', 'script']),
      name: text,
      category: orNull(text),
      requests: Type.Integer({ minimum: 1 }),
      bytes: milliseconds,
      mainThreadMs: milliseconds,
      takesWith: Type.Array(text, { maxItems: 100 }),
      without: Type.Union([simulated, object({ reason: text })]),
    }),
    { maxItems: 100 },
  ),
  fixes: Type.Array(object({ id: text, after: simulated })),
  unusable: Type.Array(text),
});

/** @throws if the text is not an answer with this number of cells and break points */
export function readWhatIfFacts(json: string, { cells, thresholds }: WhatIfOrder): WhatIfFacts {
  const facts = readAs(whatIfFacts, json);
  if (facts.cells.length === cells.length && facts.breakPoints.length === thresholds.length) return facts;
  throw new Error('not the answers to this order');
}

/** @throws if the text is not a list of this number of results */
export const readReAuditResults = (json: string, count: number): ReAuditResult[] =>
  readAs(Type.Array(reAuditResult, { minItems: count, maxItems: count }), json);
