/** Of one hop only (RFC 9110, 7.6.1), or between a client and its proxy. */
const hopHeaders = new Set([
  ...['connection', 'proxy-connection', 'keep-alive', 'proxy-authorization', 'proxy-authenticate'],
  ...['te', 'trailer', 'upgrade'],
]);

/** Without these a message has another length, or another host: no header may name them away. */
const neverHop = new Set(['host', 'content-length', 'transfer-encoding']);

/** Name and value of each, from Node's flat list. */
export const toPairs = (raw: readonly string[]): [string, string][] =>
  raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as [string, string]] : []));

/** Names after `Connection:` are headers of this hop, too. */
const namedBy = (pairs: readonly [string, string][]): string[] =>
  pairs
    .filter(([name]) => /^(proxy-)?connection$/i.test(name))
    .flatMap(([, value]) => value.split(','))
    .map(name => name.trim().toLowerCase())
    .filter(name => !neverHop.has(name));

/** Raw headers as they came, spelling, order and repetitions kept, without those of the hop. */
export function withoutHopHeaders(raw: readonly string[]): string[] {
  const pairs = toPairs(raw);
  const dropped = new Set([...hopHeaders, ...namedBy(pairs)]);
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
}
