/**
 * Decides about certificates that the browser does not trust, request by request and for this page only. A flag of the
 * browser would be one of its whole life, and its spare is started before the page is known.
 */
import type { Page } from 'puppeteer-core';
import type { TimedAudit } from '../messages.ts';

export type TrustSettings = Pick<TimedAudit, 'certificates' | 'ownNames' | 'trustedHosts' | 'provenServers'>;

/** Error of a certificate whose only fault is its CA. */
const unknownAuthority = 'ERR_CERT_AUTHORITY_INVALID';

/** Returns whether a request goes on although the browser does not trust its server. */
function isAccepted(
  { certificates, ownNames = [], trustedHosts = [], provenServers = [] }: TrustSettings,
  { errorType, requestURL }: { errorType: string; requestURL: string },
): boolean {
  const url = URL.parse(requestURL);
  if (!url) return false;
  if (provenServers.includes(`${url.hostname.replace(/\.$/, '')}:${url.port || 443}`)) return true;
  if (certificates?.ignore_errors === true && ownNames.includes(url.hostname)) return true;
  return errorType === unknownAuthority && trustedHosts.includes(url.host);
}

/** Errors of origins whose certificates were refused. The browser reports them only as aborted requests. */
export type RefusedOrigins = ReadonlyMap<string, string>;

/** Answers the browser's questions about certificates, if the audit has conditions for them. */
export async function answerCertificateErrors(page: Page, settings: TrustSettings): Promise<RefusedOrigins> {
  const refused = new Map<string, string>();
  if (!settings.certificates && !settings.provenServers) return refused;
  const session = await page.createCDPSession();
  session.on('Security.certificateError', event => {
    const action = isAccepted(settings, event) ? 'continue' : 'cancel';
    const origin = URL.parse(event.requestURL)?.origin;
    if (action === 'cancel' && origin) refused.set(origin, `net::${event.errorType}`);
    session.send('Security.handleCertificateError', { eventId: event.eventId, action }).catch(() => {});
  });
  await session.send('Security.enable');
  await session.send('Security.setOverrideCertificateErrors', { override: true });
  return refused;
}
