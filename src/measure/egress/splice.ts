import type { Socket } from 'node:net';

/** Ends a connection so that the other side sees an error and no end: half an answer must not look whole. */
export const cut = (socket: Socket): void => void socket.resetAndDestroy();

/** Browsers close both ways at once; a server that goes on after that is heard no longer than this. */
const usualLingerMs = 5_000;

/** One way. What was received is delivered before the end is passed on, also when the other way is closed already. */
function lead(from: Socket, to: Socket, lingerMs: number): void {
  from.on('error', () => {});
  from.on('end', () => to.setTimeout(lingerMs, () => to.destroy()));
  from.on('close', () => {
    if (!from.readableEnded) return cut(to);
    // It is not read any more, but its end has to be noticed.
    to.resume();
  });
  from.pipe(to);
}

/** Joins two connections: bytes, pressure, half-closes and resets go from each to the other. */
export function splice(a: Socket, b: Socket, lingerMs = usualLingerMs): void {
  lead(a, b, lingerMs);
  lead(b, a, lingerMs);
}
