import assert from 'node:assert/strict';
import { test } from 'node:test';
import jpeg from 'jpeg-js';
import { readPicture } from '../../../measure/lhr/late-content.ts';
import { differenceOf } from './compare-loads.ts';

const picture = (shade: number, until = 64) => {
  const data = Buffer.alloc(64 * 64 * 4, 255);
  for (let at = 0; at < 64 * until * 4; at += 4) data.fill(shade, at, at + 3);
  return readPicture(
    `data:image/jpeg;base64,${jpeg.encode({ width: 64, height: 64, data }, 80).data.toString('base64')}`,
  );
};

test('pictures are compared as a person would see them', () => {
  assert.equal(differenceOf(picture(20), picture(20)), 0);
  assert.equal(differenceOf(picture(20), picture(25)), 0);
  assert.equal(differenceOf(picture(20), picture(240)), 100);
  assert.equal(differenceOf(picture(20, 32), picture(20)), 50);
  assert.equal(differenceOf(picture(20, 32), picture(20), 'coarse'), 50);
  assert.equal(differenceOf(picture(20), picture(32), 'coarse'), 0);
  assert.equal(differenceOf(null, picture(20)), null);
  for (const broken of [7, '', 'data:image/jpeg;base64,AAAA', 'data:image/png;base64,AAAA', 'x'.repeat(2_000_000)])
    assert.equal(readPicture(broken), null);
});
