import { randomInt } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Scope } from '../start-service.ts';

/** Starts a server on loopback, by default on a free port. It stops when the scope ends, even with connections open. */
export async function startLocalServer(scope: Scope, listener: RequestListener, port = 0): Promise<{ url: string }> {
  const server = createServer(listener);
  scope.after(() => stop(server));
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen(port, '127.0.0.1', listening.resolve);
  await listening.promise;
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function stop(server: Server): Promise<void> {
  const closed = Promise.withResolvers<void>();
  server.close(() => closed.resolve());
  server.closeAllConnections();
  await closed.promise;
}

/**
 * A loopback URL on which no server listens. Its port is below those that systems give to servers on port 0 and to
 * clients, so no test that runs at the same time gets it.
 */
export async function findClosedPort(): Promise<string> {
  for (;;) {
    const hooks: (() => Promise<void> | void)[] = [];
    try {
      const { url } = await startLocalServer(
        { after: hook => void hooks.push(hook) },
        () => {},
        randomInt(11_000, 32_000),
      );
      for (const hook of hooks) await hook();
      return url;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}
