import { toHost } from '../../measure/targets/host-name.ts';
import type { Settings } from '../../settings/settings.ts';

const rememberedHosts = 100;
/** A name and a port; what is longer is a fault, and not worth its room. */
const maxHostCharacters = 300;

/** Host and port as `Host` carries them; undefined when there is none or it is no host. */
const toName = (header: string): ReturnType<typeof toHost> => toHost(header.replace(/:\d*$/, ''));

/**
 * Whether a request came to a name of ours. A page in a person's browser can let its own name resolve to this machine
 * and so become same-origin with the service (DNS rebinding), but then `Host` still has that name. It needs a name for
 * that: an address cannot be made to resolve to another, so addresses are always allowed.
 */
export function createHostCheck(allowed: Settings['allowedHosts']): (header: string) => boolean {
  if (allowed === 'any') return () => true;
  const names = new Set(allowed);
  const judge = (header: string): boolean => {
    const host = toName(header);
    if (!host) return false;
    if (host.kind === 'address' || names.has(host.text)) return true;
    // RFC 6761: every name below it is this machine, too.
    return names.has('localhost') && host.text.endsWith('.localhost');
  };
  // Clients come to a few names, and reading one costs more than answering from the cache.
  const judged = new Map<string, boolean>();
  return header => {
    const known = judged.get(header);
    if (known !== undefined) return known;
    const verdict = judge(header);
    if (judged.size < rememberedHosts && header.length <= maxHostCharacters) judged.set(header, verdict);
    return verdict;
  };
}
