import { type Departure, type Egress, type GateOptions, openGate } from '../../../src/measure/egress/egress-proxy.ts';

export type OpenedEgress = Egress & { readonly proxyUrl: string };

/** Opens network access for one audit. @throws the errors of the gate */
export async function openEgress({
  startUrl,
  hosts,
  signal,
  ...options
}: GateOptions & Departure): Promise<OpenedEgress> {
  const gate = await openGate(options);
  try {
    return { ...(await gate.open({ startUrl, hosts, signal })), proxyUrl: gate.proxyUrl };
  } catch (error) {
    gate.close();
    throw error;
  }
}
