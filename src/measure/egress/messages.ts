/** Messages between the service and the egress thread. The service calls; each gate has a port of its own. */
import type { MessagePort } from 'node:worker_threads';
import type { PlainError } from '../../contract/errors.ts';
import type { Targets } from '../targets/policy.ts';
import type { DialReason } from './dial.ts';
import type { Departure, Egress } from './egress-proxy.ts';
import type { RefusalNote } from './reach.ts';

/** Initial data of the thread. */
export type GateSettings = { targets: Targets; hidesInside: boolean };

/** Opens a gate. Closing the port closes the gate. */
export type NewGate = { port: MessagePort };

export type GateCaller = {
  calls: {
    /** Listens, and returns the URL of the proxy. */
    listen: { order: null; answer: string };
    /** @param ownPort port of this service */
    open: { order: Omit<Departure, 'signal'> & { ownPort: number }; answer: null };
    about: { order: { url: string }; answer: Awaited<ReturnType<Egress['about']>> };
  };
  /** Stops all traffic. The gate still answers `about`. */
  notices: { close: null };
  failure: null;
};

export type GateServer = {
  calls: Record<never, never>;
  notices: { exhausted: PlainError; refused: RefusalNote };
  /** `reason` is present if an endpoint is the cause. */
  failure: { message: string; reason?: DialReason };
};
