/** Every way in which a page can make a browser open a connection, each with a URL that contains the way's name. */

export type WaysOut = {
  html: string;
  /** Files of the page's own origin, by path. */
  files: Readonly<Record<string, { type: string; body: string }>>;
  /** Response headers of the page. */
  headers: Readonly<Record<string, string>>;
};

/** Ways that always request their URL during an audit; the others (`dns-prefetch`, `manifest` …) may not. */
export const waysThatAsk = [
  ...['img', 'srcset', 'svg-image', 'iframe', 'object', 'embed', 'script', 'module', 'import', 'stylesheet'],
  ...[
    'css-import',
    'css-url',
    'font',
    'video',
    'audio',
    'poster',
    'preload',
    'link-header',
    'prefetch',
    'modulepreload',
  ],
  ...['fetch', 'post', 'xhr', 'beacon', 'keepalive', 'worker', 'worker-import', 'shared-worker', 'service-worker'],
  ...[
    'eventsource',
    'websocket',
    'form',
    'ping',
    'frame-refresh',
    'frame-script',
    'frame-redirect',
    'wasm',
    'csp-report',
  ],
] as const;

/** @param to returns the URL of a way, on the host under test */
export function toWaysOut(to: (way: string) => string): WaysOut {
  const q = (way: string) => JSON.stringify(to(way));
  const ws = (way: string) => JSON.stringify(to(way).replace(/^http/, 'ws'));
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Ways out</title>
<link rel="dns-prefetch" href=${q('dns-prefetch')}>
<link rel="preconnect" href=${q('preconnect')}>
<link rel="icon" href=${q('icon')}>
<link rel="manifest" href=${q('manifest')}>
<link rel="preload" as="image" href=${q('preload')}>
<link rel="prefetch" href=${q('prefetch')}>
<link rel="modulepreload" href=${q('modulepreload')}>
<link rel="stylesheet" href=${q('stylesheet')}>
<style>
@import url(${q('css-import')});
@font-face { font-family: far; src: url(${q('font')}); }
h1 { background: url(${q('css-url')}); font-family: far, serif; }
</style>
<script type="speculationrules">{"prefetch":[{"urls":[${q('speculation-prefetch')}]}],"prerender":[{"urls":[${q('prerender')}]}]}</script>
<script src="/mapped.js"></script>
</head>
<body>
<h1>Words to paint</h1>
<img src=${q('img')} alt="">
<img srcset="${to('srcset')} 1x" alt="">
<svg width="9" height="9"><image href=${q('svg-image')} width="9" height="9"/></svg>
<iframe src=${q('iframe')} title="frame"></iframe>
<iframe src="/frame-refresh" title="refresh"></iframe>
<iframe src="/frame-script" title="script"></iframe>
<iframe src="/frame-redirect" title="redirect"></iframe>
<iframe name="posted" title="posted"></iframe>
<object data=${q('object')}></object>
<embed src=${q('embed')}>
<video src=${q('video')} poster=${q('poster')}></video>
<audio src=${q('audio')} preload="auto"></audio>
<form id="form" method="post" action=${q('form')} target="posted"><input name="a" value="b"></form>
<a id="ping" href="#here" ping=${q('ping')}>ping</a>
<script src=${q('script')}></script>
<script type="module" src=${q('module')}></script>
<script>
const quietly = run => { try { Promise.resolve(run()).catch(() => {}); } catch {} };
quietly(() => fetch(${q('fetch')}, { mode: 'no-cors' }));
quietly(() => fetch(${q('post')}, { method: 'POST', mode: 'no-cors', body: 'x' }));
quietly(() => fetch(${q('keepalive')}, { mode: 'no-cors', keepalive: true }));
quietly(() => { const x = new XMLHttpRequest(); x.open('GET', ${q('xhr')}); x.send(); });
quietly(() => navigator.sendBeacon(${q('beacon')}, 'x'));
quietly(() => import(${q('import')}));
quietly(() => WebAssembly.instantiateStreaming(fetch(${q('wasm')}, { mode: 'no-cors' })));
quietly(() => new EventSource(${q('eventsource')}));
quietly(() => new WebSocket(${ws('websocket')}));
quietly(() => new Worker('/worker.js', { type: 'module' }));
quietly(() => new SharedWorker('/shared-worker.js'));
quietly(() => navigator.serviceWorker.register('/service-worker.js'));
quietly(() => document.getElementById('form').submit());
quietly(() => document.getElementById('ping').click());
quietly(() => window.open(${q('window-open')}));
quietly(() => new Image(1, 1).setAttribute('src', ${q('csp-blocked')}));
</script>
</body>
</html>`;
  const script = (body: string) => ({ type: 'text/javascript', body });
  const page = (body: string) => ({ type: 'text/html', body: `<!doctype html><title>Frame</title>${body}` });
  return {
    html,
    files: {
      '/worker.js': script(
        `fetch(${q('worker')}, { mode: 'no-cors' }).catch(() => {}); import(${q('worker-import')}).catch(() => {});`,
      ),
      '/shared-worker.js': script(`fetch(${q('shared-worker')}, { mode: 'no-cors' }).catch(() => {});`),
      '/service-worker.js': script(
        `oninstall = event => event.waitUntil(fetch(${q('service-worker')}, { mode: 'no-cors' }).catch(() => {}));`,
      ),
      '/mapped.js': script(`console.log(1);\n//# sourceMappingURL=${to('source-map')}`),
      '/frame-refresh': page(`<meta http-equiv="refresh" content="0;url=${to('frame-refresh')}">`),
      '/frame-script': page(`<script>location.href = ${q('frame-script')}</script>`),
    },
    headers: {
      link: `<${to('link-header')}>; rel=preload; as=image`,
      'content-security-policy-report-only': `img-src 'none'; report-uri ${to('csp-report')}`,
      'reporting-endpoints': `default="${to('reporting')}"`,
      nel: '{"report_to":"default","max_age":600}',
    },
  };
}
