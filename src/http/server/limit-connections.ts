import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Keeps a server to so many connections. For one more, the connection that has been idle for longest is closed, so that
 * idle connections never keep out a client that asks. Where every other one waits for an answer, the new one is closed.
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
