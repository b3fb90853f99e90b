/** Thread that forwards all traffic of pages, so that it does not delay the service. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { AnalysisError } from '../../../contract/errors.ts';
import { createPolicy } from '../../targets/policy.ts';
import { DialError } from '../dial.ts';
import { type Egress, type Gate, openGate } from '../egress-proxy.ts';
import { createSystemNetwork } from '../system-network.ts';
import type { GateOrder, GateReply, NewGate, ThreadSettings } from './messages.ts';

const { targets, hidesInside } = workerData as ThreadSettings;
let ownPort: number | undefined;
const policy = createPolicy({ targets, ownPort: () => ownPort });
const network = createSystemNetwork();

const toFailed = (error: unknown): GateReply => ({
  type: 'failed',
  message: error instanceof Error ? error.message : String(error),
  ...(error instanceof DialError ? { reason: error.reason } : {}),
});

async function serve(port: MessagePort): Promise<void> {
  const reply = (message: GateReply) => port.postMessage(message);
  let gate: Gate;
  try {
    gate = await openGate({ policy, network, hidesInside, note: refusal => reply({ type: 'refused', refusal }) });
  } catch (error) {
    return reply(toFailed(error));
  }
  let egress: Egress | undefined;
  let opening = new AbortController();

  const open = async (startUrl: string) => {
    opening = new AbortController();
    try {
      egress = await gate.open({ startUrl, signal: opening.signal });
    } catch (error) {
      return reply(toFailed(error));
    }
    const { exhausted } = egress;
    exhausted.addEventListener('abort', () => {
      if (exhausted.reason instanceof AnalysisError) reply({ type: 'exhausted', error: exhausted.reason.toPlain() });
    });
    reply({ type: 'opened' });
  };

  port.on('message', (order: GateOrder) => {
    if (order.type === 'open') {
      ownPort = order.ownPort;
      void open(order.startUrl);
    } else if (order.type === 'cancel') opening.abort();
    else if (order.type === 'close') gate.close();
    else void egress?.about(order.url).then(facts => reply({ type: 'answer', question: order.question, facts }));
  });
  port.on('close', () => gate.close());
  reply({ type: 'listening', proxyUrl: gate.proxyUrl });
}

parentPort?.on('message', ({ port }: NewGate) => void serve(port));
