import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { registerRequestLog } from '../../src/http/server/request-log.ts';
import { captureLog, type LogLine } from './captured-log.ts';
import type { Scope } from './start-service.ts';

/** The framework with the service's log and nothing else: for one way of answering, not a whole service. */
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
    /** What it says of requests and failures, when none is under way: level, message, and code or outcome. */
    async linesWhenQuiet(): Promise<LogLine[]> {
      await whenQuiet();
      return lines.filter(({ reqId }) => reqId !== undefined);
    },
  };
}
