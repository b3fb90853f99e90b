/** The facts of a load that its simulation depends on, read from its artifacts. */
import Type, { type Static } from 'typebox';
import { closed, nullable } from '../fields.ts';

/** Whether a file had loaded before the first contentful paint, only before the largest one, or later. */
export const filePlaces = ['first', 'largest', 'after'] as const;
export type FilePlace = (typeof filePlaces)[number];

const milliseconds = Type.Number({ minimum: 0 });
const word = Type.String({ maxLength: 40 });

/** All requests of a load for one URL without its query. */
const FileFacts = closed({
  /** Resource type of Chromium, such as `Script`. */
  type: word,
  requests: Type.Integer({ minimum: 1 }),
  /** Bytes over the network, headers included. */
  bytes: Type.Number(),
  resourceBytes: Type.Number(),
  /** Priority of Chromium, such as `High`. */
  priority: word,
  place: Type.Enum([...filePlaces]),
  /** CPU time of the script in this file, in milliseconds. */
  cpuMs: milliseconds,
});
export type FileFacts = Readonly<Static<typeof FileFacts>>;

export const LoadFacts = closed({
  /** Files by URL without query. */
  files: Type.Unsafe<Readonly<Record<string, FileFacts>>>(Type.Record(Type.String({ maxLength: 500 }), FileFacts)),
  /** CPU time of all tasks except scripts: parsing, style, layout. */
  otherCpuMs: milliseconds,
  /** Benchmark index of the machine; null if unknown. */
  benchmarkIndex: nullable(Type.Number({ exclusiveMinimum: 0 })),
  /** Whether its values are simulated: a load with applied throttling cannot be simulated again. */
  isSimulated: Type.Boolean(),
  /** Speed index of the observed load in milliseconds; null if its frames cannot be read. */
  observedSpeedIndex: nullable(milliseconds),
  /** Server response time by origin, as Lighthouse estimates it. */
  latencyMs: Type.Unsafe<Readonly<Record<string, number>>>(Type.Record(Type.String(), Type.Number())),
});
export type LoadFacts = Readonly<Static<typeof LoadFacts>>;
