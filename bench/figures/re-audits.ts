/**
 * Times the re-audits of one comparison, through the pool: for an ordinary page, and for one with about 30 MB of
 * artifacts.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOwnPool, readOwnPage } from '../../test/support/audits/create-own-pool.ts';
import { type Spread, timeMs, toSpread } from '../measure.ts';

/** Many files and timers make a long trace. */
const files = 450;
const script = `
  const heading = document.querySelector('h1');
  let turns = 0;
  const timer = setInterval(() => {
    document.title = Math.random();
    heading.offsetHeight;
    if (turns++ > 4) clearInterval(timer);
  }, 5);`;
const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>';
const toPage = () => {
  const loads = Array.from({ length: files }, (_, at) => `<script src="/${at}.js"></script><img src="/${at}.svg">`);
  return `<!doctype html><title>Heavy</title><h1>Heavy</h1>${loads.join('')}`;
};

export async function startHeavyPage(): Promise<{ url: string; close: () => void }> {
  const types = { js: 'text/javascript', svg: 'image/svg+xml', html: 'text/html' };
  const bodies = { js: `{${script}}`, svg: picture, html: toPage() };
  const server = createServer(({ url = '' }, response) => {
    const kind = url.endsWith('.js') ? 'js' : url.endsWith('.svg') ? 'svg' : 'html';
    response.setHeader('content-type', types[kind]).end(bodies[kind]);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The unchanged load, as a check, and three changes: as many as a comparison ever makes. */
const toSettings = (origin: string) => {
  const network = { rttMs: 40, throughputKbps: 10_240 };
  const processor = { ...network, cpuSlowdownMultiplier: 1.2 };
  const latency = { additionalRttByOrigin: {}, serverResponseTimeByOrigin: { [origin]: 300 } };
  return [{}, network, processor, { ...processor, latency }];
};

/** Milliseconds for four concurrent re-audits, until the last result. */
export async function measureReAudits(url: string, times: number): Promise<Spread> {
  const pool = createOwnPool();
  const { signal } = new AbortController();
  const request = {
    url,
    strategy: 'mobile',
    categories: ['performance'],
    profile: 'lighthouse',
    locale: 'en-US',
  } as const;
  try {
    const measured: number[] = [];
    for (let count = 0; count < times; count += 1) {
      const { artifacts } = await pool.audit(request, readOwnPage, signal, { keepArtifacts: true });
      if (artifacts === undefined) throw new Error('nothing was kept to audit again');
      measured.push(await timeMs(() => pool.reAudit(artifacts, toSettings(new URL(url).origin), signal)));
      await pool.release(artifacts);
      console.error(`  ${count + 1}/${times}: ${Math.round(measured.at(-1) ?? 0)} ms`);
    }
    return toSpread(measured);
  } finally {
    await pool.close(0);
  }
}

export async function measureHeavyReAudits(times: number): Promise<Spread> {
  const page = await startHeavyPage();
  try {
    return await measureReAudits(page.url, times);
  } finally {
    page.close();
  }
}
