/** Further pages that cannot be measured, with the message of v5: see pagespeed-endpoint.test.ts. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ask, withQuery } from '../support/asking/ask.ts';
import { findClosedPort } from '../support/sites/local-server.ts';
import { startPages } from '../support/sites/pages.ts';
import { startSecureServer } from '../support/sites/secure-server.ts';
import { startService } from '../support/start-service.ts';

const pages = await startPages({ after });
const service = await startService({ after });

const notLoaded =
  'Lighthouse was unable to reliably load the page you requested. Make sure you are testing the correct URL and that the server is properly responding to all requests.';

const failing: Readonly<Record<string, readonly [url: string, message: string]>> = {
  'has no server': [
    await findClosedPort(),
    `FAILED_DOCUMENT_REQUEST. ${notLoaded} (Details: net::ERR_CONNECTION_REFUSED)`,
  ],
  'redirects without end': [
    `${pages.url}/redirect-loop`,
    `FAILED_DOCUMENT_REQUEST. ${notLoaded} (Details: net::ERR_TOO_MANY_REDIRECTS)`,
  ],
  'has a certificate of nobody': [
    (await startSecureServer({ after }, '')).url,
    'INSECURE_DOCUMENT_REQUEST. The URL you have provided does not have a valid security certificate. net::ERR_CERT_AUTHORITY_INVALID',
  ],
};

for (const [name, [url, told]] of Object.entries(failing))
  test(`error: a page that ${name} is Lighthouse's 400, without status and details`, async () => {
    const { status, body } = await ask(service, withQuery('/pagespeedonline/v5/runPagespeed', { url }));
    const message = `Lighthouse returned error: ${told}`;
    const errors = [{ message, domain: 'lighthouse', reason: 'lighthouseUserError' }];
    assert.deepEqual([status, body], [400, { error: { code: 400, message, errors } }]);
  });
