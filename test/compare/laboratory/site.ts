/** Two servers with one name, which serve a plant's files to the two sides of a comparison. */
import type { RequestListener, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { crc32, deflateSync } from 'node:zlib';
import type { DialNetwork } from '../../../src/measure/egress/dial.ts';
import { usualAudits } from '../../support/audits/quick-audits.ts';
import { startLocalServer } from '../../support/sites/local-server.ts';
import { type Scope, startService } from '../../support/start-service.ts';

export type File = {
  type: string;
  /** A function creates another body for each load. */
  body: string | Buffer | (() => string);
  status?: number;
  delayMs?: number;
  headers?: Record<string, string>;
  /** Closes the connection without an answer, as a firewall or a blocklist does. */
  isCut?: boolean;
};

/** Files by path; a host name before the path (`ads.example.net/a.js`) means another host. */
export type Files = Readonly<Record<string, File>>;

const chunk = (name: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(name), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
};

/** A picture of about this many bytes with colours that do not compress, the same each time. */
export function toPng(bytes: number, seed = 1): Buffer {
  const side = Math.max(8, Math.round(Math.sqrt(bytes / 3)));
  const rows = Buffer.alloc(side * (1 + 3 * side));
  let state = seed;
  for (let at = 0; at < rows.length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    rows[at] = at % (1 + 3 * side) === 0 ? 0 : state >>> 24;
  }
  return toPngOf(side, rows);
}

/**
 * A square picture.
 * @param rows pixel rows, each a zero byte and three bytes a pixel
 */
export function toPngOf(side: number, rows: Buffer): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

export const html = (body: File['body'], extra: Partial<File> = {}): File => ({
  type: 'text/html; charset=utf-8',
  body,
  ...extra,
});
export const png = (bytes: number, extra: Partial<File> = {}): File => ({
  type: 'image/png',
  body: toPng(bytes),
  ...extra,
});
export const css = (body: string, extra: Partial<File> = {}): File => ({ type: 'text/css', body, ...extra });
export const script = (body: string, extra: Partial<File> = {}): File => ({ type: 'text/javascript', body, ...extra });
export const denied = (status: number): File => ({ type: 'text/plain', body: 'No.', status });

/** Keeps the main thread busy. */
export const busyFor = (ms: number): string =>
  `{const end = performance.now() + ${ms}; while (performance.now() < end);}`;

type PageParts = { lang?: string; title?: string; head?: string; heading?: string; text?: string; body?: string };

export const toPage = ({
  lang = 'en',
  title = 'A shop for boats',
  head = '',
  heading = 'Boats for every water',
  text = 'Rowing boats, sailing boats and all that belongs to them, made by hand. ',
  body = '',
}: PageParts = {}): string => `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="description" content="${title}.">
<link rel="icon" href="data:,">${head}</head><body><main><h1>${heading}</h1>
<p>${text.repeat(8)}</p>${body}</main></body></html>`;

/** Finds a file by its URL without the query, which is often random. */
const find = (files: Files, host: string, path: string): File | undefined => files[`${host}${path}`] ?? files[path];

function answer(response: ServerResponse, file: File = { ...denied(404), body: 'There is nothing.' }): void {
  const { type, body, status = 200, headers } = file;
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(typeof body === 'function' ? body() : body);
}

export const serve =
  (toFiles: (plant: string) => Files | undefined): RequestListener =>
  async (request, response) => {
    const host = request.headers.host ?? '';
    const { pathname } = new URL(request.url ?? '', 'http://pages');
    const [, plant = '', ...rest] = pathname.split('/');
    const file = find(toFiles(plant) ?? {}, host === pageHost ? '' : host, `/${rest.join('/')}`);
    if (file?.delayMs) await delay(file.delayMs);
    if (file?.isCut) response.destroy();
    else answer(response, file);
  };

export const pageHost = 'www.boats.example';
export const urlOf = (plant: string): string => `http://${pageHost}/${plant}/`;

/** A network on which every name leads to the side's own server; nothing leaves this machine. */
const networkTo = (server: { url: string }): DialNetwork => ({
  resolve: async () => ['93.184.216.34'],
  connect: () => connect(Number(new URL(server.url).port), '127.0.0.1'),
});

export type BySide = (plant: string) => { local: Files; remote: Files } | undefined;

/**
 * The service under test and its remote analyser, which is a second real service that finds other files under the same
 * URL.
 */
export async function startLaboratory(scope: Scope, bySide: BySide, environment: Record<string, string> = {}) {
  const local = await startLocalServer(
    scope,
    serve(plant => bySide(plant)?.local),
  );
  const remote = await startLocalServer(
    scope,
    serve(plant => bySide(plant)?.remote),
  );
  const far = await startService(scope, {}, networkTo(remote), { audits: usualAudits });
  const endpoint = `${far.url}/pagespeedonline/v5/runPagespeed`;
  return startService(scope, { PSI_ENDPOINT: endpoint, ...environment }, networkTo(local), { audits: usualAudits });
}
