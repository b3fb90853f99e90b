/** Asserts the headers of an HTML report. */
import assert from 'node:assert/strict';

export const directives = (policy: string | null): Record<string, string> =>
  Object.fromEntries((policy ?? '').split('; ').map(rule => [rule.split(' ', 1)[0] ?? '', rule.replace(/^\S+ ?/, '')]));

export function assertIsReport(response: Response): void {
  assert.equal(response.status, 200);
  const { headers } = response;
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
  assert.match(headers.get('content-disposition') ?? '', /^inline; filename="[\w.-]+\.html"$/);
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
  assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin');
  // Browsers refuse to show a sandboxed page without an origin if it has a browsing context group of its own.
  assert.equal(headers.get('cross-origin-opener-policy'), 'unsafe-none');
  const policy = directives(headers.get('content-security-policy'));
  assert.match(policy.sandbox ?? '', /^allow-scripts/);
  assert.doesNotMatch(policy.sandbox ?? '', /same-origin|top-navigation|forms/);
  assert.equal(policy['default-src'], "'none'");
  assert.match(policy['script-src'] ?? '', /^('sha256-[\w+/]+={0,2}'( |$))*$/);
  for (const name of ['base-uri', 'form-action', 'frame-ancestors']) assert.equal(policy[name], "'none'", name);
}
