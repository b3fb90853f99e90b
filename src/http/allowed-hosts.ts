import type { Settings } from '../settings.ts';
import { toHost } from '../targets/host-name.ts';

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
  return header => {
    const host = toName(header);
    if (!host) return false;
    if (host.kind === 'address' || names.has(host.text)) return true;
    // RFC 6761: every name below it is this machine, too.
    return names.has('localhost') && host.text.endsWith('.localhost');
  };
}
