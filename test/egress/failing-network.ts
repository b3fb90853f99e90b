/** Internal and external hosts that each fail in a different way. */
import { startCanary } from '../support/sites/canary.ts';
import type { Scope } from '../support/start-service.ts';
import { createOwnNetwork, startRawServer } from '../support/surroundings/own-network.ts';

const names = {
  'refused.internal': ['10.20.0.1'],
  'silent.internal': ['10.20.0.2'],
  'closing.internal': ['10.20.0.3'],
  'resetting.internal': ['10.20.0.4'],
  'outside.internal': ['10.99.0.1'],
  'refused.example.com': ['93.184.216.40'],
};
/** A setting that allows the internal hosts. */
export const TARGETS = `${Object.keys(names)
  .filter(name => name.endsWith('internal'))
  .join(',')},10.20.0.0/16`;

export async function startFailingNetwork(scope: Scope) {
  const canary = await startCanary(scope);
  const closing = await startRawServer(scope, socket => void socket.destroy());
  const resetting = await startRawServer(scope, socket => socket.once('data', () => socket.resetAndDestroy()));
  const network = createOwnNetwork(names, {
    '10.20.0.1': 'refused',
    '10.20.0.2': 'silent',
    '10.20.0.3': closing.port,
    '10.20.0.4': resetting.port,
    '10.99.0.1': canary.port,
    '93.184.216.40': 'refused',
  });
  return { canary, network };
}
