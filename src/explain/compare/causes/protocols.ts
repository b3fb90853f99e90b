/** HTTP/1.1 on one side, and a protocol that sends many answers at once over one connection on the other. */
import type { LoadFacts } from '../sides/load-facts.ts';

const names: ReadonlyMap<string | null, string> = new Map([
  ['http/1.0', 'HTTP/1.0'],
  ['http/1.1', 'HTTP/1.1'],
  ['h2', 'HTTP/2'],
  ['h3', 'HTTP/3'],
]);

const isOneByOne = (protocol: string): boolean => protocol.startsWith('http/1');

export type OtherProtocol = { host: string; psi: string; lighthouse: string; files: number };

/** The host with the most such files; HTTP/2 and HTTP/3 are the same here: which it is, a race decides. */
export function findOtherProtocol(psi: LoadFacts, lighthouse: LoadFacts): OtherProtocol | undefined {
  const found = new Map<string, OtherProtocol>();
  for (const [key, theirs] of psi.files ?? []) {
    const ours = lighthouse.files?.get(key);
    const [one, other] = [names.get(theirs.protocol), names.get(ours?.protocol ?? null)];
    if (!one || !other || isOneByOne(theirs.protocol ?? '') === isOneByOne(ours?.protocol ?? '')) continue;
    const { host } = theirs;
    found.set(host, { host, psi: one, lighthouse: other, files: (found.get(host)?.files ?? 0) + 1 });
  }
  return [...found.values()].toSorted((a, b) => b.files - a.files)[0];
}
