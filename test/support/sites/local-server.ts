import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Scope } from '../start-service.ts';

/** Starts a server on a free loopback port. It stops when the scope ends, even with connections open. */
export async function startLocalServer(scope: Scope, listener: RequestListener): Promise<{ url: string }> {
  const server = createServer(listener);
  scope.after(() => stop(server));
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function stop(server: Server): Promise<void> {
  const closed = Promise.withResolvers<void>();
  server.close(() => closed.resolve());
  server.closeAllConnections();
  await closed.promise;
}

/** A loopback URL on which no server listens any more. */
export async function findClosedPort(): Promise<string> {
  const hooks: (() => Promise<void> | void)[] = [];
  const { url } = await startLocalServer({ after: hook => void hooks.push(hook) }, () => {});
  for (const hook of hooks) await hook();
  return url;
}
