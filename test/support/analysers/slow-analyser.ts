/** A PSI v5 server whose answers are unmodified results of real Lighthouse runs under settings of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import lighthouse from 'lighthouse';
import type { DialNetwork } from '../../../src/measure/egress/dial.ts';
import { findBrowser } from '../../../src/measure/lighthouse/browser/find-browser.ts';
import { endBrowser, launchBrowser } from '../../../src/measure/lighthouse/worker/browser.ts';
import { createPolicy } from '../../../src/measure/targets/policy.ts';
import { startLocalServer } from '../sites/local-server.ts';
import type { Scope } from '../start-service.ts';
import { openEgress } from '../surroundings/open-egress.ts';

/** PSI's mobile preset with another CPU throttling. */
const throttlingWith = (cpuSlowdownMultiplier: number) => ({
  rttMs: 150,
  throughputKbps: 1.6 * 1024,
  requestLatencyMs: 562.5,
  downloadThroughputKbps: 1474.56,
  uploadThroughputKbps: 675,
  cpuSlowdownMultiplier,
});

async function measure(url: string, cpuSlowdownMultiplier: number, network: DialNetwork): Promise<unknown> {
  const { PATH = '', XDG_CACHE_HOME: cacheHome } = process.env;
  const prepared = await findBrowser({ chromePath: undefined, path: PATH, cacheHome })?.prepare();
  if (!prepared) throw new Error('there is no browser');
  const policy = createPolicy({ targets: 'any', ownPort: () => 0 });
  const egress = await openEgress({ startUrl: url, policy, network, signal: new AbortController().signal });
  const folder = await mkdtemp(join(tmpdir(), 'rangelight-test-'));
  const { browser, page } = await launchBrowser({
    browser: { ...prepared, sandbox: false, proxyUrl: egress.proxyUrl },
    folder,
    scratch: folder,
  });
  try {
    const config = { extends: 'lighthouse:default', settings: { throttling: throttlingWith(cpuSlowdownMultiplier) } };
    const flags = { logLevel: 'silent', onlyCategories: ['performance'] } as const;
    return (await lighthouse(url, { ...flags, onlyCategories: [...flags.onlyCategories] }, config, page))?.lhr;
  } finally {
    await endBrowser(browser);
    egress.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** @returns the URL for PSI_ENDPOINT; the server measures performance only */
export async function startSlowAnalyser(
  scope: Scope,
  { cpuSlowdownMultiplier, network }: { cpuSlowdownMultiplier: number; network: DialNetwork },
): Promise<string> {
  const { url } = await startLocalServer(scope, async (request, response) => {
    const page = new URL(request.url ?? '', 'http://analyser').searchParams.get('url') ?? '';
    try {
      const lighthouseResult = await measure(page, cpuSlowdownMultiplier, network);
      response.setHeader('content-type', 'application/json; charset=UTF-8');
      response.end(JSON.stringify({ kind: 'pagespeedonline#result', id: page, lighthouseResult }));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  return `${url}/pagespeedonline/v5/runPagespeed`;
}
