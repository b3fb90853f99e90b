/** Pages that navigate, or seem to. */
import { afterLoad, fine, pageWith } from '../../test/faults/answer.ts';
import { type Answer, failed, further, html, measured, type Row, redirect } from './answers.ts';

const body = (text: string) => html(pageWith({ body: text }));
const inHead = (text: string) => html(pageWith({ head: text }));
const scripted = (text: string) => inHead(`<script>${text}</script>`);
const afterwards = (text: string) => body(afterLoad(text));
const onLoadAfter = (ms: number, text: string) =>
  body(`<script>addEventListener('load', () => setTimeout(() => { ${text} }, ${ms}));</script>`);
const bare = (headText: string, bodyText = '') =>
  html(`<!doctype html><html lang="en"><head><title>A page</title><link rel="icon" href="data:,">${headText}</head>
<body>${bodyText}</body></html>`);

const goTo = (url: string) => `<script>location.href = '${url}';</script>`;
const refreshTo = (url: string, seconds = 0) => `<meta http-equiv="refresh" content="${seconds};url=${url}">`;
const leave = `location.href = 'next';`;
const submit = '<script>document.forms[0].submit();</script>';
const reloadOnce = 'if (!sessionStorage.seen) { sessionStorage.seen = 1; location.reload(); }';
const clickLink = `const link = document.createElement('a'); link.href = link.download = 'file.zip';
document.body.append(link); link.click();`;
const pushStates = `let n = 0; const timer = setInterval(() => { history.pushState({}, '', '?' + n++);
if (n > 300) clearInterval(timer); }, 20);`;
const written = '<!doctype html><html lang="en"><title>Written</title><h1>Written anew</h1><p>With words.</p></html>';
const toBlob = `location.href = URL.createObjectURL(new Blob(['<h1>A blob</h1>'], { type: 'text/html' }));`;
const writeWithoutEnd = `addEventListener('load', () => { document.open(); document.write('<h1>Open</h1>'); });`;
const breakOut = { parts: { inner: bare(`<script>top.location.href = 'next';</script>`, 'x') } };
/** The service says that the page was left. */
const left: Partial<Row> = { says: /redirect|another page|left|navigat/i };

/** Answers with the page to a browser with the cookie, and to others with `wall`, which may call `pass`. */
const behind =
  (wall: string): Answer =>
  (socket, { head }) =>
    void socket.write(
      head.includes('passed=1')
        ? html(fine)
        : bare(`<script>const pass = () => { document.cookie = 'passed=1'; location.reload(); };</script>`, wall),
    );

const apps: Readonly<Record<string, string>> = {
  myshop: 'myshop://open/item?id=7',
  intent: 'intent://open#Intent;scheme=myshop;package=com.example.shop;end',
  mailto: 'mailto:shop@example.com',
  tel: 'tel:+49123456',
};
const hint = '<h1>An app</h1><p>Open it in the app, or stay here.</p>';
/** No browser shows an app, so the service names its scheme. */
const anApp = (name: string, answer: Answer) =>
  failed('page_not_html', name, answer, { says: /leads to an app \(`(myshop|intent|mailto|tel):/ });
/** A browser that turns to an app does not show the rest of the document. */
const toApp = (names: readonly string[]): Row[] =>
  names.flatMap(name => {
    const url = apps[name] ?? '';
    return [
      anApp(`${name}: by script, with content`, bare(goTo(url), hint)),
      measured(`${name}: by meta refresh, with content`, bare(refreshTo(url), hint)),
      anApp(`${name}: by 302`, redirect(url)),
    ];
  });

const notShown = ['page_blank', 'page_unreachable', 'page_not_html'] as const;

export const navigationPages: readonly Row[] = [
  measured('starts to leave, then stop()', afterwards(`location.href = 'never'; setTimeout(stop, 200);`)),
  failed(
    ['measured', 'page_timeout'],
    'starts to leave while it loads, and never arrives',
    body(`<script>setTimeout(() => { location.href = 'never'; }, 500);</script>`),
  ),
  measured('goes to a 204', afterwards(`location.href = 'nothing';`)),
  measured('download link clicked by script', afterwards(clickLink)),
  measured('300 pushState calls', scripted(pushStates)),
  measured('location.replace to its own hash', scripted(`location.replace('#part');`)),
  ...[0, 2, 6].map(seconds =>
    measured(`meta refresh to another page after ${seconds} s`, inHead(refreshTo('next', seconds))),
  ),
  measured('meta refresh with odd syntax', inHead(`<meta http-equiv="Refresh" content=" 1 ; URL = 'next' ">`)),
  measured('leaves 1 s after the load', onLoadAfter(1000, leave), left),
  measured('leaves 3 s after the load', onLoadAfter(3000, leave), left),
  measured('leaves after it is measured', onLoadAfter(30_000, leave)),
  measured('reloads once', scripted(reloadOnce)),
  measured('a form that submits itself', body(`<form action="next"><input name="a" aria-label="a"></form>${submit}`)),
  measured('a form that posts itself', bare('', `<form method="post" action="next"><input name="a"></form>${submit}`)),
  measured('a cookie wall that leads back', behind('Checking your browser<script>pass();</script>')),
  measured(
    'a check of the browser for 4 s',
    behind('<h1>Checking your browser</h1><script>setTimeout(pass, 4000);</script>'),
  ),
  measured('window.open', scripted(`open('next', '_blank');`)),
  measured(
    'document.write of a whole document after the load',
    afterwards(`document.write('${written}'); document.close();`),
  ),
  measured('document.open after the load', afterwards('document.open();')),
  measured('breaks out of a frame', body('<iframe src="inner" title="Inner"></iframe>'), breakOut),
  // The browser then shows an error page of its own, while it still measures the load.
  failed(
    'page_unreachable',
    'goes to a closed port after the load',
    afterwards(`location.href = 'http://127.0.0.1:9/';`),
  ),
  ...toApp(['myshop']),
  measured('myshop: by script after the load', afterwards(`location.href = 'myshop://open';`)),
  anApp('myshop: by script, without content', bare(goTo('myshop://open'))),
  measured('Refresh header to myshop:', html(fine, ['Refresh: 0; url=myshop://open'])),
  ...further([
    measured('starts to leave, then stop() at once', body(`<script>location.href = 'never'; stop();</script>`)),
    failed(['measured', 'page_blank'], 'goes to a 204 at once', scripted(`location.href = 'nothing';`)),
    measured('download after the load', afterwards(`location.href = 'file.zip';`)),
    measured('download in a hidden frame', body('<iframe src="file.zip" hidden title="A file"></iframe>')),
    measured(
      'replaceState to another path after the load',
      afterwards(`history.replaceState({}, '', 'elsewhere/deep?a=b');`),
    ),
    measured('a new hash every 100 ms', scripted('let n = 0; setInterval(() => { location.hash = n++; }, 100);')),
    failed(['measured', 'page_timeout'], 'history.back() at once', scripted('history.back();')),
    measured('meta refresh to a 204', inHead(refreshTo('nothing'))),
    measured('meta refresh in noscript', inHead(`<noscript>${refreshTo('never')}</noscript>`)),
    measured('leaves at once', scripted(`location.replace('next');`)),
    measured('reloads once after 2 s', onLoadAfter(2000, reloadOnce)),
    measured('window.open of itself', scripted(`open('next', '_self');`)),
    measured('window.close', scripted('window.close();')),
    measured(
      'document.write of the page while it loads',
      bare('', `<script>document.write('<h1>Written</h1><p>With words.</p>');</script>`),
    ),
    measured('document.open at once, never closed', bare('', `<script>${writeWithoutEnd}</script>`)),
    measured(
      'the root element is replaced',
      afterwards(`document.documentElement.replaceWith(document.createElement('html'));`),
    ),
    measured('javascript: URL', afterwards(`location.href = 'javascript:void(0)';`)),
    measured('data: URL', afterwards(`location.href = 'data:text/html,x';`)),
    measured('blob: URL', afterwards(toBlob)),
    failed(['measured', ...notShown], 'about:blank', afterwards(`location.href = 'about:blank';`)),
    ...toApp(['intent', 'mailto', 'tel']),
    measured('myshop: in a hidden frame', body('<iframe src="myshop://open" hidden title="An app"></iframe>')),
    anApp(
      'myshop: by script, then a page after 1 s',
      bare(`${goTo('myshop://open')}<script>setTimeout(() => location.replace('next'), 1000);</script>`),
    ),
    anApp('mailto: by meta refresh, without content', bare(refreshTo('mailto:shop@example.com'))),
    anApp('myshop: by 302, with content', redirect('myshop://open', fine)),
  ]),
];
