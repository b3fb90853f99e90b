/**
 * Messages that a worker may send. It loads untrusted pages and the service may run as root, so all other data are
 * refused. The worker itself imports only the types.
 */
import Type, { type Static, type TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { Seen } from '../../contract/access/seen.ts';
import { stages } from '../../contract/analysis/progress.ts';
import { closed, nullable, workerText as text } from '../../contract/fields.ts';
import { LoadFacts } from '../../contract/result/load-facts.ts';
import { RunFacts } from '../../contract/stored/run-facts.ts';
import { WhatIfFacts, type WhatIfOrder } from '../../contract/stored/what-if-order.ts';
import type { PortMessage } from '../port.ts';

const processId = Type.Integer({ minimum: 2, maximum: 0x7fff_ffff });

const none = Type.Null();

const notices = {
  /** Lighthouse is imported; the worker accepts orders. */
  ready: none,
  /** Process id of the browser, which is also its process group. */
  browser: closed({ pid: processId }),
  /** Process id of the spare browser. */
  spare: closed({ pid: processId }),
  /** Process id of the browser that logs in, next to that of the order. */
  login: closed({ pid: processId }),
  /** Current stage of the audit. */
  stage: closed({ stage: Type.Enum([...stages]) }),
  /** A rest of the load, in which it uses almost no CPU time, has started or ended. */
  rest: closed({ rest: Type.Enum(['waiting', 'quiet']), isAtRest: Type.Boolean() }),
  /** Whether the page's main thread has not answered for a few seconds. */
  pulse: closed({ isSilent: Type.Boolean() }),
  /**
   * The browser has ended, the spare one is running or cannot start, and the worker is free. This follows every answer
   * and failure.
   */
  idle: none,
};

/** Waits for the service's permission to start a phase: loading the page, or computing the result. */
const ask = closed({ phase: Type.Enum(['load', 'compute']) });
export type AskedPhase = Static<typeof ask>['phase'];

const failure = closed({
  during: Type.Enum(['launch', 'audit']),
  code: Type.Optional(text),
  message: text,
  /** URL of the document that failed, if one did. */
  url: Type.Optional(text),
  /** The page as the browser showed it, if it needs a login. */
  seen: Type.Optional(Seen),
});

export type WorkerSide = {
  calls: { ask: { order: Static<typeof ask>; answer: null } };
  notices: { [N in keyof typeof notices]: Static<(typeof notices)[N]> };
  failure: Static<typeof failure>;
};

const callId = Type.Integer({ minimum: 1 });

const message = Type.Union([
  ...Object.entries(notices).map(([name, data]) => closed({ notice: Type.Literal(name), data })),
  closed({ call: callId, name: Type.Literal('ask'), data: ask }),
  closed({ answer: callId, data: RunFacts, bytes: Type.Integer({ minimum: 0, maximum: 64 * 2 ** 20 }) }),
  closed({ failure: callId, data: failure }),
]);

/** Reads one line of JSON. @throws if it is not a message of a worker */
export const readMessage = (line: string): PortMessage => readAs(message, line) as PortMessage;

/** @throws if the JSON does not have this shape */
function readAs<S extends TSchema>(schema: S, json: string): Static<S> {
  const value: unknown = JSON.parse(json);
  if (Check(schema, value)) return value;
  throw new Error('not of the required shape');
}

/** Metrics of the performance score by audit id: score 0–1, value in the metric's own unit. */
const reAuditResult = Type.Record(
  Type.String(),
  Type.Object({ score: nullable(Type.Number({ minimum: 0, maximum: 1 })), value: nullable(Type.Number()) }),
);
export type ReAuditResult = Readonly<Static<typeof reAuditResult>>;

/** @throws if the text does not contain the facts of a load */
export const readLoadFacts = (json: string): LoadFacts => readAs(LoadFacts, json);

/** @throws if the text is not an answer with this number of cells and break points */
export function readWhatIfFacts(json: string, { cells, thresholds }: WhatIfOrder): WhatIfFacts {
  const facts = readAs(WhatIfFacts, json);
  if (facts.cells.length === cells.length && facts.breakPoints.length === thresholds.length) return facts;
  throw new Error('not the answers to this order');
}

/** @throws if the text is not a list of this number of results */
export const readReAuditResults = (json: string, count: number): ReAuditResult[] =>
  readAs(Type.Array(reAuditResult, { minItems: count, maxItems: count }), json);
