/** Messages between the service and the egress thread, as plain data. */
import type { MessagePort } from 'node:worker_threads';
import type { PlainError } from '../../../contract/errors.ts';
import type { Targets } from '../../targets/policy.ts';
import type { DialReason } from '../dial.ts';
import type { EgressFacts } from '../egress-proxy.ts';
import type { RefusalNote } from '../refusals.ts';

/** Initial data of the thread. */
export type ThreadSettings = { targets: Targets; hidesInside: boolean };

/** Opens a gate. Its messages use a port of their own; closing the port closes the gate. */
export type NewGate = { port: MessagePort };

export type GateOrder =
  /** @param ownPort port of this service */
  | { type: 'open'; startUrl: string; ownPort: number }
  /** Cancels the opening. */
  | { type: 'cancel' }
  /** Stops all traffic. The gate still answers `ask`. */
  | { type: 'close' }
  | { type: 'ask'; question: number; url: string };

export type GateReply =
  | { type: 'listening'; proxyUrl: string }
  | { type: 'opened' }
  /** The gate does not listen, or could not be opened; `reason` is present if an endpoint is the cause. */
  | { type: 'failed'; message: string; reason?: DialReason }
  | { type: 'answer'; question: number; facts: EgressFacts }
  | { type: 'exhausted'; error: PlainError }
  | { type: 'refused'; refusal: RefusalNote };
