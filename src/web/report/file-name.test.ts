import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toFileName } from './file-policy.ts';

test('a file is named after the page, its analysis and its device', () => {
  assert.equal(toFileName('https://www.example.com/a?b', 'psi', 'both'), 'www.example.com-a-b-psi-both.html');
  assert.equal(toFileName('http://localhost:3000/', 'lighthouse', 'mobile'), 'localhost-3000-lighthouse-mobile.html');
  assert.equal(toFileName('http://[::1]:8080/', 'compared', 'desktop'), '1-8080-compared-desktop.html');
  assert.equal(toFileName('https://bücher.example/', 'psi', 'mobile'), 'xn--bcher-kva.example-psi-mobile.html');
});

test('an empty name still gives a file name, and a long one is cut', () => {
  assert.equal(toFileName('nonsense', 'psi', 'mobile'), 'page-psi-mobile.html');
  assert.ok(toFileName(`https://${'a.'.repeat(120)}example/`, 'psi', 'mobile').length < 120);
});

test('a page can only put a plain name into the header', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webUrl({ authoritySettings: { withPort: true, withIPv6: true } }),
        fc.string(),
        fc.domain().map(name => `http://${name}.`),
      ),
      url => /^[\w][\w.-]*-psi-mobile\.html$/.test(toFileName(url, 'psi', 'mobile')),
    ),
  );
});
