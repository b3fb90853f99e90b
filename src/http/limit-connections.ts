import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Keeps a server to so many connections. One more is let in all the same, and the one that has said nothing for longest
 * goes in its place: whoever opens connections without asking anything takes no place from those who ask. Where every
 * one waits for an answer, the new one goes.
 */
export function limitConnections(server: Server, most: number): void {
  let open = 0;
  /** Without a request under way, in the order in which they fell silent. */
  const silent = new Set<Socket>();
  const asked = new Map<Socket, number>();

  server.on('connection', (socket: Socket) => {
    open += 1;
    silent.add(socket);
    socket.once('close', () => {
      open -= 1;
      silent.delete(socket);
      asked.delete(socket);
    });
    if (open <= most) return;
    const [longest] = silent;
    if (!longest) return;
    silent.delete(longest);
    longest.destroy();
  });

  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    silent.delete(socket);
    asked.set(socket, (asked.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (asked.get(socket) ?? 0) - 1;
      if (left > 0) return void asked.set(socket, left);
      asked.delete(socket);
      if (!socket.destroyed) silent.add(socket);
    });
  });
}
