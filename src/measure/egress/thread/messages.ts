/** What the service and the egress thread say to each other, as plain data. */
import type { MessagePort } from 'node:worker_threads';
import type { PlainError } from '../../../contract/errors.ts';
import type { Targets } from '../../targets/policy.ts';
import type { DialReason } from '../dial.ts';
import type { EgressFacts } from '../egress-proxy.ts';
import type { RefusalNote } from '../refusals.ts';

/** What the thread is started with. */
export type ThreadSettings = { targets: Targets; hidesInside: boolean };

/** Opens a gate. All that is said of it goes over a port of its own; when that closes, so does the gate. */
export type NewGate = { port: MessagePort };

export type GateOrder =
  /** @param ownPort the port this service listens on */
  | { type: 'open'; startUrl: string; ownPort: number }
  /** The opening is not wanted any more. */
  | { type: 'cancel' }
  /** Nothing passes any more; questions are still answered. */
  | { type: 'close' }
  | { type: 'ask'; question: number; url: string };

export type GateReply =
  | { type: 'listening'; proxyUrl: string }
  | { type: 'opened' }
  /** The gate does not listen, or could not be opened; `reason` where an endpoint is why. */
  | { type: 'failed'; message: string; reason?: DialReason }
  | { type: 'answer'; question: number; facts: EgressFacts }
  | { type: 'exhausted'; error: PlainError }
  | { type: 'refused'; refusal: RefusalNote };
