/**
 * A public site whose documents navigate to internal hosts or other schemes, an internal canary, and names with
 * addresses of all kinds.
 */
import { startCanary } from '../support/sites/canary.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import type { Scope } from '../support/start-service.ts';
import { createOwnNetwork } from '../support/surroundings/own-network.ts';

export const publicAddress = '93.184.216.34';

const names = {
  'www.example.com': [publicAddress],
  'cdn.example.com': [publicAddress],
  'inside.example.com': ['10.0.0.5'],
  'mixed.example.com': [publicAddress, '127.0.0.1'],
  'app.internal': ['10.99.0.7'],
};
const script = (code: string) => `<script>${code}</script>`;
const leaveFor = (url: string) => script(`location.href = ${url}`);

/** Content of the document at each path. */
const toBodies = (inside: string): Readonly<Record<string, string>> => ({
  '/': '',
  '/script': leaveFor(`'${inside}'`),
  '/late': script(`onload = () => setTimeout(() => { location.href = '${inside}' }, 1)`),
  '/refresh': `<meta http-equiv="refresh" content="0;url=${inside}">`,
  '/form': `<form id="f" method="post" action="${inside}"></form>${script('f.submit()')}`,
  '/frame-to-top': `<iframe srcdoc="<script>top.location = '${inside}'</script>"></iframe>`,
  '/file': leaveFor("'file:///etc/passwd'"),
  '/chrome': leaveFor("'chrome://version'"),
  '/view-source': leaveFor(`'view-source:${inside}'`),
  '/data': leaveFor(`'data:text/html,<img src=${inside}>'`),
  '/javascript': leaveFor(`'javascript:"<h1>More</h1><img src=${inside}>"'`),
  '/blob': leaveFor(`URL.createObjectURL(new Blob(['<h1>More</h1><img src=${inside}>'], { type: 'text/html' }))`),
  '/files-inside': `<iframe src="file:///etc/passwd"></iframe><img src="file:///etc/passwd" alt="">`,
});

export async function startLeadingSite(scope: Scope) {
  const canary = await startCanary(scope);
  const inside = `http://127.0.0.1:${canary.port}/`;
  const bodies = toBodies(inside);
  const site = await startLocalServer(scope, (request, response) => {
    const path = request.url ?? '/';
    const status = /^\/(30\d)$/.exec(path)?.[1];
    if (status) return response.writeHead(Number(status), { location: inside }).end();
    if (path === '/to-file') return response.writeHead(302, { location: 'file:///etc/passwd' }).end();
    if (path === '/twice') return response.writeHead(302, { location: 'http://cdn.example.com/302' }).end();
    if (path === '/refresh-header') response.setHeader('refresh', `0;url=${inside}`);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    return response.end(
      `<!doctype html><html lang="en"><head><title>Page</title></head><body><h1>Words to paint</h1>${bodies[path] ?? ''}</body></html>`,
    );
  });
  const network = createOwnNetwork(names, { [publicAddress]: Number(new URL(site.url).port) });
  return { canary, network };
}
