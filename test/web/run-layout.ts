/** The layout of the page during a run, at common widths. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

const sizes = [
  { width: 320, maxRow: 370 },
  { width: 360, maxRow: 310 },
  { width: 768, maxRow: 230 },
  { width: 1280, maxRow: 100 },
] as const;
const height = 740;

type Box = { readonly top: number; readonly height: number; readonly width: number };

const readLayout = `(() => {
  const boxOf = element => {
    const { top, height, width } = element.getBoundingClientRect();
    return { top, height, width };
  };
  scrollTo(0, 0);
  const all = selector => [...document.querySelectorAll(selector)].filter(element => element.checkVisibility()).map(boxOf);
  return {
    sections: all('[aria-label=Progress]'),
    cancels: all('[aria-label=Progress] button'),
    meters: all('.bar, .lane'),
    rows: all('.batch tbody tr'),
    scrollWidth: document.documentElement.scrollWidth,
  };
})()`;

type Layout = {
  readonly sections: readonly Box[];
  readonly cancels: readonly Box[];
  readonly meters: readonly Box[];
  readonly rows: readonly Box[];
  readonly scrollWidth: number;
};

const isInView = ({ top, height: ownHeight }: Box) => top >= 0 && top + Math.min(ownHeight, 60) <= height;

/**
 * Asserts that the progress and its button are on the screen, rows are no higher than their text, and nothing
 * overflows.
 */
export async function assertRunLayout(page: Page): Promise<void> {
  for (const { width, maxRow } of sizes) {
    await page.setViewportSize({ width, height });
    await page.waitForFunction(`innerWidth === ${width}`);
    const { sections, cancels, meters, rows, scrollWidth } = (await page.evaluate(readLayout)) as Layout;
    assert.ok(scrollWidth <= width, `${scrollWidth} px of ${width} px`);
    assert.equal(sections.length, 1);
    for (const [part, boxes] of Object.entries({ sections, cancels, meters: meters.slice(0, 1) }))
      assert.ok(boxes.length > 0 && boxes.every(isInView), `${width} px, ${part}: ${JSON.stringify(boxes)}`);
    for (const meter of meters) assert.ok(meter.width > width / 2, `${width} px: ${JSON.stringify(meter)}`);
    const heights = rows.map(row => Math.round(row.height));
    assert.ok(
      heights.every(each => each > 30 && each <= maxRow),
      `${width} px: rows of ${heights} px`,
    );
  }
}
