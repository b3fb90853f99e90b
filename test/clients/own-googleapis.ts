/** Google's PSI v5 client, configured for this service. */
import assert from 'node:assert/strict';
import { pagespeedonline } from '@googleapis/pagespeedonline';
import './loopback-only.ts';

export const pointedAt = ({ url }: { url: string }) =>
  pagespeedonline({ version: 'v5', rootUrl: `${url}/`, auth: 'AIza-any-key' }).pagespeedapi;

type GoogleError = Error & {
  status: number;
  response: { data: { error: { errors: { domain: string; reason: string }[] } } };
  config: { retryConfig?: { currentRetryAttempt?: number } };
};

export const failureOf = async (call: Promise<unknown>): Promise<GoogleError> => {
  const [outcome] = await Promise.allSettled([call]);
  assert.equal(outcome?.status, 'rejected');
  return outcome.reason;
};

export const retriesOf = ({ config }: GoogleError): number => config.retryConfig?.currentRetryAttempt ?? 0;
