import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toFileName } from './file-policy.ts';

test('a file is called after the page, its analysis and its device', () => {
  assert.equal(toFileName('https://www.example.com/a?b', 'psi', 'both'), 'www.example.com-a-b-psi-both.html');
  assert.equal(toFileName('http://localhost:3000/', 'lighthouse', 'mobile'), 'localhost-3000-lighthouse-mobile.html');
  assert.equal(toFileName('http://[::1]:8080/', 'compared', 'desktop'), '1-8080-compared-desktop.html');
  assert.equal(toFileName('https://bücher.example/', 'psi', 'mobile'), 'xn--bcher-kva.example-psi-mobile.html');
});

test('a name that says nothing is still one, and a long one has an end', () => {
  assert.equal(toFileName('nonsense', 'psi', 'mobile'), 'page-psi-mobile.html');
  assert.ok(toFileName(`https://${'a.'.repeat(120)}example/`, 'psi', 'mobile').length < 120);
});

test('no page can write anything else into the header than a plain name', () => {
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
