/** Divides a rectangle into areas that are as square as possible (Bruls, Huizing, van Wijk: Squarified treemaps). */

export type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** Returns the worst aspect ratio in a row: 1 for a square. */
function stretch(areas: readonly number[], side: number): number {
  const whole = areas.reduce((sum, area) => sum + area, 0);
  const depth = whole / side;
  return Math.max(...areas.map(area => Math.max(depth / (area / depth), area / depth / depth)));
}

function countRow(areas: readonly number[], side: number): number {
  let count = 1;
  while (count < areas.length && stretch(areas.slice(0, count + 1), side) <= stretch(areas.slice(0, count), side))
    count += 1;
  return count;
}

/** Places a row along the shorter side, and returns the remaining space. */
function placeRow(areas: readonly number[], room: Box): { tiles: Box[]; left: Box } {
  const isUpright = room.width >= room.height;
  const side = isUpright ? room.height : room.width;
  const depth = areas.reduce((sum, area) => sum + area, 0) / side;
  let at = 0;
  const tiles = areas.map((area): Box => {
    const length = area / depth;
    const tile = isUpright
      ? { x: room.x, y: room.y + at, width: depth, height: length }
      : { x: room.x + at, y: room.y, width: length, height: depth };
    at += length;
    return tile;
  });
  const left = isUpright
    ? { ...room, x: room.x + depth, width: room.width - depth }
    : { ...room, y: room.y + depth, height: room.height - depth };
  return { tiles, left };
}

/**
 * @param sizes each greater than zero, largest first
 * @returns the tiles in the same order, in the units of `room`
 */
export function toTiles(sizes: readonly number[], room: Box): Box[] {
  const scale = (room.width * room.height) / sizes.reduce((sum, size) => sum + size, 0);
  let areas = sizes.map(size => size * scale);
  let free = room;
  const all: Box[] = [];
  while (areas.length > 0) {
    const count = countRow(areas, Math.min(free.width, free.height));
    const { tiles, left } = placeRow(areas.slice(0, count), free);
    all.push(...tiles);
    areas = areas.slice(count);
    free = left;
  }
  return all;
}
