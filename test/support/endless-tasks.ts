/** Tasks that take too much time or memory, in place of those of the thread. */

export function readLhr(): never {
  for (;;);
}

export function readUpload(): never {
  const kept: object[] = [];
  for (;;) kept.push(new Array(1_000_000).fill(kept));
}

export const readRequests = (): unknown[] => ['read'];
