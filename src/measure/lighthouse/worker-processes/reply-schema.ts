/**
 * Schemas of replies from workers. A worker loads untrusted pages and the service may run as root, so all other data
 * are refused.
 */
import Type, { type TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { stages } from '../../../contract/analysis/progress.ts';
import { delayedPaints } from '../../../contract/result/environment.ts';
import { filePlaces, type LoadFacts } from '../../../contract/result/load-facts.ts';
import type { WhatIfFacts, WhatIfOrder } from '../../../contract/stored/what-if-order.ts';
import { askedPhases, maxTextLength, type ReAuditResult, type WorkerReply } from '../messages.ts';

const text = Type.String({ maxLength: maxTextLength });

const processId = Type.Integer({ minimum: 2, maximum: 0x7fff_ffff });

const index = Type.Number({ exclusiveMinimum: 0 });

const milliseconds = Type.Number({ minimum: 0 });

const reply = <T extends string, P extends Record<string, TSchema>>(type: T, properties: P) =>
  Type.Object({ type: Type.Literal(type), ...properties }, { additionalProperties: false });

const replySchema = Type.Union([
  reply('ready', {}),
  reply('ask', { phase: Type.Enum([...askedPhases]) }),
  reply('browser', { pid: processId }),
  reply('spare', { pid: processId }),
  reply('stage', { stage: Type.Enum([...stages]) }),
  reply('rest', { isAtRest: Type.Boolean() }),
  reply('pulse', { isSilent: Type.Boolean() }),
  reply('result', {
    bytes: Type.Integer({ minimum: 0, maximum: 64 * 2 ** 20 }),
    benchmarkIndex: Type.Optional(index),
    calibration: Type.Optional(
      Type.Object(
        {
          benchmarkIndex: index,
          measurements: Type.Integer({ minimum: 1, maximum: 100 }),
          measured: Type.Array(index, { maxItems: 10 }),
        },
        { additionalProperties: false },
      ),
    ),
    processorWait: Type.Optional(
      Type.Object(
        {
          waitedMs: milliseconds,
          othersMs: Type.Optional(milliseconds),
          without: Type.Optional(
            Type.Object(
              {
                performance: Type.Number({ minimum: 0, maximum: 1 }),
                totalBlockingMs: milliseconds,
                laterPaints: Type.Partial(
                  Type.Object(Object.fromEntries(delayedPaints.map(name => [name, milliseconds])), {
                    additionalProperties: false,
                  }),
                ),
              },
              { additionalProperties: false },
            ),
          ),
          paintWaitMs: Type.Optional(Type.Integer({ minimum: 0 })),
        },
        { additionalProperties: false },
      ),
    ),
    earlyShift: Type.Optional(Type.Number({ minimum: 0 })),
    hits: Type.Optional(Type.Record(text, Type.Integer({ minimum: 0 }), { maxProperties: 100 })),
    costs: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: text,
            points: Type.Number({ minimum: -100, maximum: 100 }),
            saved: Type.Object(
              {
                first_contentful_paint: milliseconds,
                largest_contentful_paint: milliseconds,
                total_blocking_time: milliseconds,
                speed_index: milliseconds,
              },
              { additionalProperties: false },
            ),
            files: Type.Array(text, { maxItems: 3 }),
            bytes: milliseconds,
            mainThreadMs: milliseconds,
          },
          { additionalProperties: false },
        ),
        { maxItems: 50 },
      ),
    ),
  }),
  reply('failed', {
    during: Type.Enum(['launch', 'audit']),
    code: Type.Optional(text),
    message: text,
    url: Type.Optional(text),
  }),
  reply('idle', {}),
]);

/** @throws if the line is not a valid reply */
export function readReply(line: string): WorkerReply {
  const value: unknown = JSON.parse(line);
  if (Check(replySchema, value)) return value;
  throw new Error('not of the shape of a reply');
}

const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

const reAuditResult = Type.Record(
  Type.String(),
  Type.Object({ score: orNull(Type.Number({ minimum: 0, maximum: 1 })), value: orNull(Type.Number()) }),
);

const amount = Type.Number({ minimum: 0 });
const fileFacts = Type.Object(
  {
    type: Type.String({ maxLength: 40 }),
    requests: Type.Integer({ minimum: 1 }),
    bytes: Type.Number(),
    resourceBytes: Type.Number(),
    priority: Type.String({ maxLength: 40 }),
    place: Type.Enum([...filePlaces]),
    cpuMs: amount,
  },
  { additionalProperties: false },
);
const loadFacts = Type.Object(
  {
    files: Type.Record(Type.String({ maxLength: 500 }), fileFacts),
    otherCpuMs: amount,
    benchmarkIndex: orNull(index),
    observedSpeedIndex: orNull(amount),
    isSimulated: Type.Boolean(),
    latencyMs: Type.Record(Type.String(), Type.Number()),
  },
  { additionalProperties: false },
);

/** @throws if the text does not contain the facts of a load */
export function readLoadFacts(json: string): LoadFacts {
  const value: unknown = JSON.parse(json);
  if (Check(loadFacts, value)) return value;
  throw new Error('not of the shape of the facts of a load');
}

const simulated = Type.Object(
  {
    score: Type.Number({ minimum: 0, maximum: 1 }),
    firstContentfulPaintMs: amount,
    largestContentfulPaintMs: amount,
    totalBlockingMs: amount,
    speedIndexMs: amount,
  },
  { additionalProperties: false },
);
const network = { rttMs: amount, throughputKbps: amount };
const breakPoint = <S extends TSchema>(at: S) =>
  Type.Object({ at: orNull(at), isSlowest: Type.Boolean() }, { additionalProperties: false });
const whatIfFacts = Type.Object(
  {
    own: Type.Object({ cpu: amount, ...network }, { additionalProperties: false }),
    base: simulated,
    cells: Type.Array(simulated),
    breakPoints: Type.Array(
      Type.Object(
        { cpu: breakPoint(amount), network: breakPoint(Type.Object(network, { additionalProperties: false })) },
        { additionalProperties: false },
      ),
    ),
    removals: Type.Array(
      Type.Object(
        {
          kind: Type.Enum(['third_party', 'script']),
          name: text,
          category: orNull(text),
          requests: Type.Integer({ minimum: 1 }),
          bytes: amount,
          mainThreadMs: amount,
          takesWith: Type.Array(text, { maxItems: 100 }),
          without: Type.Union([simulated, Type.Object({ reason: text }, { additionalProperties: false })]),
        },
        { additionalProperties: false },
      ),
      { maxItems: 100 },
    ),
    fixes: Type.Array(Type.Object({ id: text, after: simulated }, { additionalProperties: false })),
    unusable: Type.Array(text),
  },
  { additionalProperties: false },
);

/** @throws if the text is not an answer with this number of cells and break points */
export function readWhatIfFacts(json: string, { cells, thresholds }: WhatIfOrder): WhatIfFacts {
  const value: unknown = JSON.parse(json);
  if (
    Check(whatIfFacts, value) &&
    value.cells.length === cells.length &&
    value.breakPoints.length === thresholds.length
  )
    return value;
  throw new Error('not of the shape of a what-if');
}

/** @throws if the text is not a list of this number of results */
export function readReAuditResults(json: string, count: number): ReAuditResult[] {
  const value: unknown = JSON.parse(json);
  if (Check(Type.Array(reAuditResult, { minItems: count, maxItems: count }), value)) return value;
  throw new Error('not of the shape of re-audit results');
}
