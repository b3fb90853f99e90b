import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { registerRequestLog } from '../../src/http/server/request-log.ts';
import { captureLog, type LogLine } from './captured-log.ts';
import type { Scope } from './start-service.ts';

/** The framework with the service's log and nothing else, for tests that need no whole service. */
export function createLoggedApp(scope: Scope) {
  const { log, lines } = captureLog();
  const app: FastifyInstance = fastify({
    forceCloseConnections: true,
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
  });
  const whenQuiet = registerRequestLog(app);
  scope.after(() => app.close());
  return {
    app,
    listen: async () => ({ url: await app.listen({ host: '127.0.0.1', port: 0 }) }),
    /** The log lines of requests, read when no request is in flight. */
    async linesWhenQuiet(): Promise<LogLine[]> {
      await whenQuiet();
      return lines.filter(({ reqId }) => reqId !== undefined);
    },
  };
}
