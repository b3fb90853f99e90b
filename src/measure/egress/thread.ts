/** Thread that forwards all traffic of pages, so that it does not delay the service. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { AnalysisError } from '../../contract/errors.ts';
import { openPort, toThreadWire } from '../port.ts';
import { createPolicy } from '../targets/policy.ts';
import { DialError } from './dial.ts';
import { type Egress, type Gate, openGate } from './egress-proxy.ts';
import type { GateCaller, GateServer, GateSettings, NewGate } from './messages.ts';
import { createSystemNetwork } from './system-network.ts';

const { targets, hidesInside } = workerData as GateSettings;
let ownPort: number | undefined;
const policy = createPolicy({ targets, ownPort: () => ownPort });
const network = createSystemNetwork();

const toFailure = (error: unknown): GateServer['failure'] => ({
  message: error instanceof Error ? error.message : String(error),
  ...(error instanceof DialError ? { reason: error.reason } : {}),
});

function serve(messages: MessagePort): void {
  let gate: Gate | undefined;
  let egress: Egress | undefined;
  const port = openPort<GateServer, GateCaller>(toThreadWire(messages), {
    onNotice: { close: () => gate?.close() },
    onCall: {
      async listen() {
        gate = await openGate({ policy, network, hidesInside, note: refusal => port.notify('refused', refusal) });
        return { data: gate.proxyUrl };
      },
      async open({ ownPort: current, ...departure }, signal) {
        ownPort = current;
        egress = await gate?.open({ ...departure, signal });
        const exhausted = egress?.exhausted;
        exhausted?.addEventListener('abort', () => {
          if (exhausted.reason instanceof AnalysisError) port.notify('exhausted', exhausted.reason.toPlain());
        });
        return { data: null };
      },
      async about({ url }) {
        if (!egress) throw new Error('the gate is not open');
        return { data: await egress.about(url) };
      },
    },
    toFailure,
    fromFailure: () => new Error('the service refused a call'),
  });
  messages.on('close', () => gate?.close());
}

parentPort?.on('message', ({ port }: NewGate) => serve(port));
