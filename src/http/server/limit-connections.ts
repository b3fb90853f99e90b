import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Keeps a server to so many connections. One more is let in all the same, and the one that has asked nothing for
 * longest goes in its place: whoever opens connections without asking anything takes no place from those who ask. Where
 * every other one waits for an answer, the new one goes.
 */
export function limitConnections(server: Server, most: number): void {
  /** Each with its last answer, in the order in which they were opened or last asked. */
  const open = new Map<Socket, ServerResponse | undefined>();

  const makeRoom = () => {
    for (const [socket, answer] of open)
      if (!answer || answer.writableFinished) {
        open.delete(socket);
        socket.destroy();
        return;
      }
  };

  server.on('connection', (socket: Socket) => {
    open.set(socket, undefined);
    socket.once('close', () => open.delete(socket));
    if (open.size > most) makeRoom();
  });

  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (!open.delete(socket)) return;
    open.set(socket, response);
  });
}
