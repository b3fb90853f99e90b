import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Box, toTiles } from './tiles.ts';

const room: Box = { x: 0, y: 0, width: 180, height: 100 };
const areaOf = ({ width, height }: Box) => width * height;

test('one size fills the area, and none draws nothing', () => {
  assert.deepEqual(toTiles([5], room), [room]);
  assert.deepEqual(toTiles([], room), []);
});

test('the example of the paper gives the published layout', () => {
  const tiles = toTiles([6, 6, 4, 3, 2, 2, 1], { x: 0, y: 0, width: 6, height: 4 });
  assert.deepEqual(
    tiles
      .map(({ x, y, width, height }) => [x, y, width, height].map(value => Math.round(value * 100) / 100))
      .slice(0, 4),
    [
      [0, 0, 3, 2],
      [0, 2, 3, 2],
      [3, 0, 1.71, 2.33],
      [4.71, 0, 1.29, 2.33],
    ],
  );
});

test('tiles have areas proportional to their sizes, stay within the area, and do not overlap', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 5_000_000 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(sizes, given => {
      const sorted = given.toSorted((a, b) => b - a);
      const total = sorted.reduce((sum, size) => sum + size, 0);
      const tiles = toTiles(sorted, room);
      assert.equal(tiles.length, sorted.length);
      for (const [at, tile] of tiles.entries()) {
        const wanted = ((sorted[at] ?? 0) / total) * areaOf(room);
        assert.ok(Math.abs(areaOf(tile) - wanted) < 0.001, `${areaOf(tile)} for ${wanted}`);
        assert.ok(tile.x > -0.001 && tile.x + tile.width < 180.001);
        assert.ok(tile.y > -0.001 && tile.y + tile.height < 100.001);
        for (const other of tiles.slice(at + 1)) {
          const width = Math.min(tile.x + tile.width, other.x + other.width) - Math.max(tile.x, other.x);
          const height = Math.min(tile.y + tile.height, other.y + other.height) - Math.max(tile.y, other.y);
          assert.ok(Math.min(width, height) < 0.001);
        }
      }
    }),
    { numRuns: 100 },
  );
});
