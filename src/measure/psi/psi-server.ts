/** A server that speaks PSI v5: Google's, or another one. */
export type PsiServer = {
  kind: 'google' | 'custom';
  /** Full URL of `runPagespeed`; may hold a key in its query. */
  endpoint: string;
  /** Host and port of the endpoint, as results name it. */
  host: string;
  /** Sent in the `X-Goog-Api-Key` header. */
  apiKey: string | undefined;
};

const googleEndpoint = 'https://pagespeedonline.googleapis.com/pagespeedonline/v5/runPagespeed';

/** Undefined where neither a server nor a key for Google's is set. An endpoint wins, and gets the key. */
export function toPsiServer(settings: {
  psiEndpoint: string | undefined;
  psiApiKey: string | undefined;
}): PsiServer | undefined {
  const { psiEndpoint, psiApiKey: apiKey } = settings;
  if (psiEndpoint === undefined && apiKey === undefined) return undefined;
  const endpoint = psiEndpoint ?? googleEndpoint;
  return { kind: psiEndpoint === undefined ? 'google' : 'custom', endpoint, host: new URL(endpoint).host, apiKey };
}
