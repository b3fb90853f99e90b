/** `rangelight mcp`: MCP tools for an agent over standard input and output. */
import { once } from 'node:events';
import { isObject } from '../contract/result/details.ts';
import type { AskRoute } from '../http/mcp/mcp-server.ts';
import { RouteFailure } from '../http/mcp/route-failure.ts';
import { toAuditEntries } from '../measure/lhr/audit-entries.ts';
import { exitCodes, type Running } from './command-context.ts';
import { readGiven, readKey, readServer } from './input/parse-command-line.ts';
import { UsageError } from './input/usage-error.ts';
import { closeService, openService } from './open-service.ts';

export const mcpHelp = `Serve the Model Context Protocol on standard input and output.

  rangelight mcp [--server URL]

Without --server, it starts its own service with the settings in the
environment. A running service serves the same tools at /mcp. Set its key in
RANGELIGHT_API_KEY.
`;

const toAsk =
  (baseUrl: string, apiKey: string | undefined, signal: AbortSignal): AskRoute =>
  async ({ method, path, headers = {}, audit, signal: cancelled = signal }) => {
    const key = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    const target = new URL(`${path.slice(1)}${audit ? '?detailed=true' : ''}`, baseUrl);
    const response = await fetch(target, {
      method,
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

/** Runs until its input ends. @returns the exit code. @throws UsageError, SettingsError */
export async function runMcp(args: readonly string[], around: Running): Promise<number> {
  const faults: string[] = [];
  const { flags, values, pages } = readGiven(args, faults);
  if (flags.has('help')) {
    await around.results.write(mcpHelp);
    return exitCodes.fine;
  }
  const given = [...flags, ...Object.keys(values)].filter(name => name !== 'server' && name !== 'api-key');
  faults.push(...given.map(name => `rangelight mcp has no option --${name}`));
  if (pages.length > 0) faults.push('rangelight mcp takes no URL: its tools do');
  const server = readServer(values.server, faults);
  const apiKey = readKey(values['api-key'], around.env.RANGELIGHT_API_KEY, faults);
  if (faults.length > 0) throw new UsageError(faults);
  const [{ createMcpServer }, { serveStdio, StdioServerTransport }] = await Promise.all([
    import('../http/mcp/mcp-server.ts'),
    import('@modelcontextprotocol/server/stdio'),
  ]);
  const service = await openService({ server }, around);
  try {
    const ask = toAsk(service.baseUrl, server ? apiKey : undefined, around.signal);
    const transport = new StdioServerTransport(around.stdin, around.stdout as import('node:stream').Writable);
    const handle = serveStdio(() => createMcpServer(ask), { transport });
    await once(around.stdin, 'end', { signal: around.signal });
    await handle.close();
    return exitCodes.fine;
  } finally {
    await closeService(service, around);
  }
}
