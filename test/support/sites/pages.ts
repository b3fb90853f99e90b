/** A small site with good and faulty pages. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Arrivals, createArrivals } from '../arrivals.ts';
import type { Scope } from '../start-service.ts';
import { startLocalServer } from './local-server.ts';

export type Pages = {
  /** The origin, without a slash at the end. */
  readonly url: string;
  /** Path and query of every request, in order. */
  readonly requests: Arrivals<string>;
};

const good = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="A small page in good order.">
<title>A page in good order</title>
<link rel="icon" href="data:,">
</head>
<body>
<main>
<h1>In good order</h1>
<p>Nothing here is missing, and nothing is too much.</p>
<p><a href="/good?next">Read about the next page in good order</a></p>
</main>
</body>
</html>
`;

/** No language, title, description or viewport; pale text, an image without `alt` or size, a blocking script. */
const faulty = `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<script src="/blocking.js"></script>
</head>
<body style="background:#fff">
<h1 style="color:#ddd">Pale words on white ground</h1>
<img src="/huge.svg">
<p style="color:#ccc">More pale words.</p>
<a href="/good">here</a>
</body>
</html>
`;

const hugeImage = `<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="3000">${'<rect width="4000" height="3000" fill="#357"/>'.repeat(4000)}</svg>`;

const blank = '<!doctype html><html lang="en"><head><title>Nothing</title></head><body></body></html>';
const sorry = '<!doctype html><html lang="en"><head><title>Sorry</title></head><body><h1>Sorry</h1></body></html>';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const send =
  (status: number, headers: Readonly<Record<string, string>>, body = ''): Answer =>
  response =>
    response.writeHead(status, headers).end(body);

const html = (body: string, status = 200) => send(status, { 'content-type': 'text/html; charset=utf-8' }, body);
const redirectTo = (location: string) => send(302, { location });

const echo: Answer = (response, request) =>
  html(good.replace('In good order', encodeURI(request.url ?? '')))(response, request);
/** `/redirect-to?url=…` */
const redirectAnywhere: Answer = (response, request) =>
  redirectTo(new URL(request.url ?? '', 'http://pages').searchParams.get('url') ?? '/')(response, request);
/** Accepts the request and never answers. */
const never: Answer = () => {};

const answers: Readonly<Record<string, Answer>> = {
  '/good': html(good),
  '/faulty': html(faulty),
  '/blocking.js': send(200, { 'content-type': 'text/javascript' }, `/*${'x'.repeat(20_000)}*/`),
  '/huge.svg': send(200, { 'content-type': 'image/svg+xml' }, hugeImage),
  '/redirect': redirectTo('/good'),
  '/redirect-loop': redirectTo('/redirect-loop'),
  '/redirect-to': redirectAnywhere,
  '/404': html(sorry, 404),
  '/503': html(sorry, 503),
  '/json-404': send(404, { 'content-type': 'application/json' }, '{"detail":"Not Found"}'),
  '/pdf': send(200, { 'content-type': 'application/pdf' }, '%PDF-1.4\n%%EOF\n'),
  '/json': send(200, { 'content-type': 'application/json' }, '{"fine":true}'),
  '/download': send(200, { 'content-type': 'text/html', 'content-disposition': 'attachment; filename="x.html"' }, good),
  '/blank': html(blank),
  '/never': never,
  '/echo': echo,
};

export async function startPages(scope: Scope): Promise<Pages> {
  const requests = createArrivals<string>();
  const { url } = await startLocalServer(scope, (request, response) => {
    const target = request.url ?? '';
    requests.add(target);
    const answer = answers[target.split('?', 1)[0] ?? ''] ?? html(sorry, 404);
    answer(response, request);
  });
  return { url, requests };
}
