import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers a request for a path of the fault site. */
export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

export const send =
  (status: number, headers: Readonly<Record<string, string>>, body: string | Buffer = ''): Answer =>
  response =>
    response.writeHead(status, headers).end(body);

export const htmlType = { 'content-type': 'text/html; charset=utf-8' };

export const html = (body: string, status = 200, headers: Readonly<Record<string, string>> = {}): Answer =>
  send(status, { ...htmlType, ...headers }, body);

/** A correct page, except for the given head and body. */
export const pageWith = ({ head = '', body = '', title = 'A page with a fault' } = {}): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
${head}
</head>
<body>
<main>
<h1>Something here is wrong</h1>
<p>These words are painted, whatever else happens.</p>
${body}
</main>
</body>
</html>
`;

export const fine = pageWith();

/** Runs after the first paint and the load event. */
export const afterLoad = (script: string): string =>
  `<script>addEventListener('load', () => setTimeout(() => { ${script} }, 300));</script>`;

export const queryOf = (request: IncomingMessage): URLSearchParams =>
  new URL(request.url ?? '/', 'http://fault').searchParams;
