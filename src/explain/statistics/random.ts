/** Returns a number in [0, 1). */
export type Random = () => number;

/** Hashes the numbers with FNV-1a. */
function toSeed(samples: readonly (readonly number[])[]): number {
  let hash = 0x811c9dc5;
  for (const sample of samples) {
    const bytes = new Uint8Array(Float64Array.from([sample.length, ...sample]).buffer);
    for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return hash >>> 0;
}

/** Creates a Mulberry32 generator. It is seeded with the data, so the same data always give the same answer. */
export function toRandom(...samples: readonly (readonly number[])[]): Random {
  let state = toSeed(samples);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Shuffles in place (Fisher and Yates). */
export function shuffle<Items extends { readonly length: number; [at: number]: unknown }>(
  items: Items,
  random: Random,
): Items {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    const item = items[last] as Items[number];
    items[last] = items[other] as Items[number];
    items[other] = item;
  }
  return items;
}
