import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Ends a connection so that the other side sees an error and no end: half an answer must not look whole. */
export const cut = (stream: Duplex): void => {
  if (stream instanceof Socket) stream.resetAndDestroy();
  else stream.destroy();
};

/** One way. What was received is delivered before the end is passed on, also when the other way is closed already. */
function lead(from: Duplex, to: Duplex): void {
  from.on('error', () => {});
  from.on('close', () => {
    if (!from.readableEnded) return cut(to);
    // Nobody reads it any more, but its end has to be noticed.
    to.resume();
  });
  from.pipe(to);
}

/** Joins two connections: bytes, pressure, half-closes and resets go from each to the other. */
export function splice(a: Duplex, b: Duplex): void {
  lead(a, b);
  lead(b, a);
}
