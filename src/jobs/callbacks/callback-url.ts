import { isIP } from 'node:net';
import { classifyAddress } from '../../measure/targets/address.ts';
import { toPageUrl } from '../../measure/targets/page-url.ts';
import type { TargetPolicy } from '../../measure/targets/policy.ts';

const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

/** Returns whether a host is this machine: a loopback address or `localhost`. */
const isLoopback = (hostname: string): boolean => {
  const host = withoutBrackets(hostname);
  return host === 'localhost' || (isIP(host) !== 0 && classifyAddress(host) === 'loopback');
};

const mustBe = 'a callback must be an https URL, or an http URL of this machine, such as http://localhost:8080/hook';

/**
 * Checks a callback URL. It must be https, or http on this machine, and the target policy must allow it.
 * @returns the canonical form, or the reason why the URL is refused
 */
export function toCallbackUrl(policy: TargetPolicy, text: string): { href: string } | { fault: string } {
  const page = toPageUrl(text);
  if (!('href' in page)) return { fault: page.fault.kind === 'value' ? page.fault.reason : mustBe };
  const { protocol, hostname } = new URL(page.href);
  if (protocol !== 'https:' && !isLoopback(hostname)) return { fault: mustBe };
  const verdict = policy.judgeUrl(page.href);
  return verdict.allowed ? page : { fault: verdict.reason };
}
