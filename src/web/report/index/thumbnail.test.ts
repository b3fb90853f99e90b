import assert from 'node:assert/strict';
import { test } from 'node:test';
import jpeg from 'jpeg-js';
import { toThumbnail } from './thumbnail.ts';

/** Red above, blue below, with as much detail as a page has. */
const toSource = (width: number, height: number): string => {
  const data = Buffer.alloc(4 * width * height);
  for (let at = 0; at < width * height; at += 1) {
    const detail = (at * 7919) % 97;
    data.set(at < (width * height) / 2 ? [255 - detail, 0, 0, 255] : [0, 0, 255 - detail, 255], 4 * at);
  }
  return `data:image/jpeg;base64,${jpeg.encode({ width, height, data }, 90).data.toString('base64')}`;
};
const decode = (source = '') => jpeg.decode(Buffer.from(source.split(',')[1] ?? '', 'base64'), { useTArray: true });

test('a thumbnail is as wide as the pictures of the list, and shows the upper part', () => {
  const phone = decode(toThumbnail(toSource(412, 824)));
  assert.deepEqual([phone.width, phone.height], [160, 208]);
  const [red = 0, , blue = 0] = phone.data;
  assert.ok(red > 150 && blue < 80, `${red} ${blue}`);
  const desktop = decode(toThumbnail(toSource(1350, 940)));
  assert.deepEqual([desktop.width, desktop.height], [160, 111]);
});

test('a small picture is unchanged', () => {
  const source = toSource(20, 10);
  assert.equal(toThumbnail(source), source);
});

test('a picture that cannot be scaled is used unchanged if it is small, and dropped otherwise', () => {
  const png = 'data:image/png;base64,iVBORw0KGgo=';
  assert.equal(toThumbnail(png), png);
  assert.equal(toThumbnail(`data:image/webp;base64,${'A'.repeat(70_000)}`), undefined);
  for (const source of [
    undefined,
    null,
    7,
    '',
    'https://a.example/x.jpg',
    'data:text/html;base64,AAAA',
    'data:image/png;base64,"><b>',
  ])
    assert.equal(toThumbnail(source), undefined, String(source));
});
