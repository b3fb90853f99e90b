/** Complete answers that are not pages: other content types, statuses, redirects, decompression bombs. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, crc32, createBrotliCompress, deflateRawSync } from 'node:zlib';
import { type Answer, fine, html, htmlType, pageWith, queryOf, send } from './answer.ts';

const pdf = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj
4 0 obj<</Length 40>>stream
BT /F1 18 Tf 20 50 Td (A document) Tj ET
endstream endobj
trailer<</Root 1 0 R>>
%%EOF
`;
/** An empty archive: only the end record. */
const zip = Buffer.from('504b0506000000000000000000000000000000000000', 'hex');
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Without a content type, the browser sniffs the bytes. */
const untyped =
  (body: string | Buffer): Answer =>
  response =>
    response.writeHead(200).end(body);

const kinds = {
  pdf: send(200, { 'content-type': 'application/pdf' }, pdf),
  'pdf-attachment': send(
    200,
    { 'content-type': 'application/pdf', 'content-disposition': 'attachment; filename="a.pdf"' },
    pdf,
  ),
  'pdf-untyped': untyped(pdf),
  zip: send(200, { 'content-type': 'application/zip', 'content-disposition': 'attachment; filename="a.zip"' }, zip),
  'zip-untyped': untyped(zip),
  'html-attachment': html(fine, 200, { 'content-disposition': 'attachment; filename="a.html"' }),
  json: send(200, { 'content-type': 'application/json' }, '{"fine":true}'),
  image: send(200, { 'content-type': 'image/png' }, png),
  'image-untyped': untyped(png),
  xml: send(200, { 'content-type': 'application/xml' }, '<?xml version="1.0"?><a><b>words</b></a>'),
  text: send(200, { 'content-type': 'text/plain' }, 'Plain words.'),
  'html-untyped': untyped(fine),
} satisfies Record<string, Answer>;

const statuses = {
  '204': send(204, {}),
  '205': send(205, {}),
  '304': send(304, {}),
  'empty-200': html(''),
  'empty-200-untyped': send(200, {}),
  'empty-404': html('', 404),
  'empty-500': html('', 500),
  'empty-500-untyped': send(500, {}),
  '401': html(pageWith(), 401, { 'www-authenticate': 'Basic realm="rangelight"' }),
  '403': html(pageWith(), 403),
  '404': html(pageWith(), 404),
  '500': html(pageWith(), 500),
  '503': html(pageWith(), 503, { 'retry-after': '1' }),
} satisfies Record<string, Answer>;

const chain: Answer = (response, request) => {
  const left = Number(queryOf(request).get('left') ?? 30);
  const answer = left > 0 ? send(302, { location: `/redirect-chain?left=${left - 1}` }) : html(fine);
  answer(response, request);
};

const redirects = {
  'redirect-loop': send(302, { location: '/redirect-loop' }),
  'redirect-chain': chain,
  'redirect-to-404': send(302, { location: '/404' }),
  'redirect-to-never': send(302, { location: '/never' }),
  'redirect-to-file': send(302, { location: 'file:///etc/hostname' }),
  'redirect-nowhere': send(302, {}),
} satisfies Record<string, Answer>;

const partBytes = 16 * 1024 * 1024;
const bombParts = 64;

/** The deflated part can be repeated, so that the bomb takes a few milliseconds to assemble. */
const toGzipBomb = (): Buffer => {
  const part = Buffer.alloc(partBytes);
  const deflated = deflateRawSync(part, { finishFlush: constants.Z_FULL_FLUSH });
  const head = Buffer.from('1f8b08000000000000ff', 'hex');
  const end = Buffer.alloc(10);
  end.writeUInt16LE(0x0003, 0);
  let sum = 0;
  for (let n = 0; n < bombParts; n += 1) sum = crc32(part, sum);
  end.writeUInt32LE(sum >>> 0, 2);
  end.writeUInt32LE((partBytes * bombParts) >>> 0, 6);
  return Buffer.concat([head, ...Array<Buffer>(bombParts).fill(deflated), end]);
};

/** The bomb is made at the first request and reused, because it takes a second. */
const gzipBomb = (): Answer => {
  let bomb: Buffer | undefined;
  return (response, request) => {
    bomb ??= toGzipBomb();
    send(200, { ...htmlType, 'content-encoding': 'gzip' }, bomb)(response, request);
  };
};

const brotliBomb: Answer = response => {
  const parts = Readable.from(Array<Buffer>(bombParts).fill(Buffer.alloc(partBytes)));
  response.writeHead(200, { ...htmlType, 'content-encoding': 'br' });
  // A browser that aborts ends the pipeline, which is not a failure of the site.
  pipeline(parts, createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }), response).catch(() => {});
};

/** Each expands to a gigabyte of zeros, from at most a megabyte. */
const bombs = { 'gzip-bomb': gzipBomb(), 'brotli-bomb': brotliBomb } satisfies Record<string, Answer>;

export const documents = { ...kinds, ...statuses, ...redirects, ...bombs };
