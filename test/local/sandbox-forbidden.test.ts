/** Contract section 9: what is done and said where Chromium's sandbox cannot be. More: sandbox-forbidden.long.ts. */
import { after, test } from 'node:test';
import { assertUnavailable, makeConfinedFolder } from './confined.ts';

const folder = makeConfinedFolder({ after });

// Loopback in truth, but no address that the settings know as loopback: nothing is opened to anyone.
test('beyond loopback there is no audit without a sandbox', t =>
  assertUnavailable(t, folder, { HOST: '::ffff:127.0.0.1' }));
