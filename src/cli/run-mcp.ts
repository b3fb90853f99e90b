/** `rangelight mcp`: MCP tools for an agent over standard input and output. */
import { once } from 'node:events';
import { isObject } from '../contract/result/details.ts';
import { RouteFailure } from '../http/mcp/route-failure.ts';
import type { AskRoute } from '../http/mcp/tools.ts';
import { toAuditEntries } from '../measure/lhr/audit-entries.ts';
import { exitCodes, type Running } from './command-context.ts';
import type { ServiceOptions } from './input/arguments.ts';
import { withService } from './open-service.ts';

const toAsk =
  (baseUrl: string, apiKey: string | undefined, signal: AbortSignal): AskRoute =>
  async ({ method, path, headers = {}, body: sent, audit, signal: cancelled = signal }) => {
    const key = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    const target = new URL(`${path.slice(1)}${audit ? '?detailed=true' : ''}`, baseUrl);
    const response = await fetch(target, {
      method,
      ...(sent === undefined ? {} : { body: sent }),
      headers: { accept: 'application/json', ...key, ...headers },
      signal: AbortSignal.any([signal, cancelled]),
    }).catch(error => {
      if (signal.aborted || cancelled.aborted) throw error;
      throw new RouteFailure('No service responds. Start it, or correct --server of rangelight mcp.');
    });
    const { status } = response;
    // A proxy may answer with an HTML page.
    const body: unknown = await response.json().catch(() => undefined);
    if (audit === undefined || status >= 400) return { status, body };
    return { status, body: { audit: toAuditEntries(isObject(body) ? body.lighthouse_result : undefined, audit.id) } };
  };

/** Runs until its input ends. @returns the exit code. @throws SettingsError */
export async function runMcp(wanted: ServiceOptions, around: Running): Promise<number> {
  const [{ createMcpServer }, { serveStdio, StdioServerTransport }] = await Promise.all([
    import('../http/mcp/mcp-server.ts'),
    import('@modelcontextprotocol/server/stdio'),
  ]);
  return withService(wanted, around, async ({ baseUrl, apiKey, signal }) => {
    const transport = new StdioServerTransport(around.stdin, around.stdout as import('node:stream').Writable);
    const handle = serveStdio(() => createMcpServer(toAsk(baseUrl, apiKey, signal)), { transport });
    await once(around.stdin, 'end', { signal });
    await handle.close();
    return exitCodes.fine;
  });
}
