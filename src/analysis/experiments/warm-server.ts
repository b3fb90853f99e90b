/**
 * Requests the document of an arm once, unmeasured, before each load of an experiment. A block loads the page twice and
 * each variant once, so without this the caches of a server would be colder for a variant.
 */
import type { Agent } from 'undici';
import { type AllowedAgentParts, createAllowedAgent } from '../../measure/egress/allowed-agent.ts';
import type { Arm } from './measure-arm.ts';

const patienceMs = 10_000;
const mostRedirects = 5;
const mostBytes = 32 * 1024 * 1024;

type Headers = Readonly<Record<string, string>>;

/** Headers of a navigation on which responses usually depend. */
async function toUsualHeaders({ strategy }: Arm): Promise<Headers> {
  const { userAgents } = await import('lighthouse/core/config/constants.js');
  return {
    'user-agent': userAgents[strategy],
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'accept-encoding': 'gzip, deflate, br, zstd',
  };
}

/** Reads a whole response. @returns the target of a redirect */
async function read(url: string, headers: Headers, agent: Agent, signal: AbortSignal): Promise<string | undefined> {
  const { request } = await import('undici');
  const response = await request(url, { dispatcher: agent, headers: { ...headers }, signal });
  await response.body.dump({ limit: mostBytes, signal });
  const { location } = response.headers;
  const isRedirect = response.statusCode >= 300 && response.statusCode < 400;
  return isRedirect && typeof location === 'string' ? URL.parse(location, url)?.href : undefined;
}

async function requestDocument(parts: AllowedAgentParts, arm: Arm, signal: AbortSignal): Promise<void> {
  const usual = await toUsualHeaders(arm);
  const { origin } = new URL(arm.url);
  const agent = await createAllowedAgent(parts, signal);
  try {
    let url: string | undefined = arm.url;
    for (let left = mostRedirects; url !== undefined && left >= 0; left -= 1) {
      const own = new URL(url).origin === origin ? arm.variant.headers : {};
      url = await read(url, { ...usual, ...own }, agent, signal);
    }
  } finally {
    await agent.destroy();
  }
}

/** Never fails, except for the signal's reason: a fault of the page is reported by its load. */
export async function warmServer(parts: AllowedAgentParts, arm: Arm, signal: AbortSignal): Promise<void> {
  const stop = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  await requestDocument(parts, arm, stop).catch(() => signal.throwIfAborted());
}
