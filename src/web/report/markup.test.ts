import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { escapeMarkup, toScriptJson } from './markup.ts';

test('text stays text, in an element and in quotes', () => {
  assert.equal(escapeMarkup(`<img src="x" alt='&amp;'>`), '&lt;img src=&quot;x&quot; alt=&#39;&amp;amp;&#39;&gt;');
  assert.equal(escapeMarkup('plain, with a line\nbreak'), 'plain, with a line\nbreak');
  assert.equal(escapeMarkup('half \ud800 a pair'), 'half \ufffd a pair');
});

test('JSON in a script is unchanged, and nothing in it can end the script or start a comment', () => {
  const hostile = { '</script>': '<!-- <script> ]]> \u2028 \u2029 &lt; </ScRiPt >' };
  const text = toScriptJson(hostile);
  assert.doesNotMatch(text, /[<\u2028\u2029]/);
  assert.deepEqual(JSON.parse(text), hostile);
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const written = toScriptJson(value);
      return !/[<\u2028\u2029]/.test(written) && JSON.stringify(JSON.parse(written)) === JSON.stringify(value);
    }),
  );
});
