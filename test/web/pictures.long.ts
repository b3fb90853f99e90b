/** The pictures in docs/images show the page of today: its size, its parts and their order (npm run screenshots). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startBrowser } from './browser.ts';
import { describePage, pictureFolder, shots, startPictured } from './pictures.ts';

/** Width and height in the header of a PNG file. */
function sizeOf(path: string): string {
  const png = readFileSync(path);
  return `${png.readUInt32BE(16)} × ${png.readUInt32BE(20)}`;
}

test('every picture shows the page of today', async t => {
  const open = await startPictured(t, await startBrowser(t));
  for (const shot of shots) {
    const page = await open(shot);
    const shown = readFileSync(`${pictureFolder}${shot.name}.txt`, 'utf8');
    assert.equal(
      await describePage(page),
      shown,
      `docs/images/${shot.name}.png is of another page: npm run screenshots`,
    );
    assert.equal(sizeOf(`${pictureFolder}${shot.name}.png`), shown.split('\n')[0]);
    await page.close();
  }
});
