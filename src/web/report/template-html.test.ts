import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html, nothing, svg } from 'lit-html';
import { toHtml } from './template-html.ts';

const bait = `"'><script>alert(1)</script>`;
const baitText = '&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;';

test('a template without values gives its own text', () => {
  assert.equal(toHtml(html`<p class="a">Text &amp; more</p>`), '<p class="a">Text &amp; more</p>');
});

test('values are text wherever they are inserted', () => {
  assert.equal(
    toHtml(html`<p title=${bait} class="a ${bait} b">${bait}</p>`),
    `<p title="${baitText}" class="a ${baitText} b">${baitText}</p>`,
  );
});

test('numbers are written, including zero; missing values leave nothing', () => {
  assert.equal(toHtml(html`<p>${0}${-1.5}${null}${undefined}${nothing}${''}${false}</p>`), '<p>0-1.5false</p>');
  assert.equal(toHtml(html`<p class="a ${nothing}b${undefined}"></p>`), '<p class="a b"></p>');
});

test('an attribute is omitted only for a missing value', () => {
  assert.equal(
    toHtml(html`<li aria-current=${nothing} colspan=${0} title=${undefined}></li>`),
    '<li colspan="0" title=""></li>',
  );
});

test('a flag is present or absent', () => {
  assert.equal(toHtml(html`<input ?checked=${true} ?disabled=${false}>`), '<input checked="">');
});

test('event handlers are omitted completely', () => {
  assert.equal(
    toHtml(html`<button type="button" @click=${() => bait}>Go</button>`),
    '<button type="button">Go</button>',
  );
});

test('templates and lists of them can be nested, including drawings', () => {
  const rows = [1, 2].map(x => svg`<rect x="${x}%" width=${x} />`);
  assert.equal(
    toHtml(html`<svg>${rows}</svg>${[html`<b>${'a'}</b>`, 'c<d', [nothing, 3]]}`),
    '<svg><rect x="1%" width="1" /><rect x="2%" width="2" /></svg><b>a</b>c&lt;d3',
  );
});

test('a value after a closed tag is text again, also in a template that is rendered twice', () => {
  const draw = (value: string) => toHtml(html`<a href=${value}>${value}</a><i title="${value}">${value}</i>`);
  for (const value of ['x', '<y>'])
    assert.equal(
      draw(value),
      `<a href="${value.replace('<', '&lt;').replace('>', '&gt;')}">${value.replace('<', '&lt;').replace('>', '&gt;')}</a><i title="${value.replace('<', '&lt;').replace('>', '&gt;')}">${value.replace('<', '&lt;').replace('>', '&gt;')}</i>`,
    );
});

test('a value in the place of a name is rejected', () => {
  assert.throws(() => toHtml(html`<p ${'onclick'}></p>`), /cannot be written/);
  assert.throws(() => toHtml(html`<p .title=${'x'}></p>`), /cannot be written/);
});
