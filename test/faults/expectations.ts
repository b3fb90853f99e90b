import type { ErrorCode } from '../../src/contract/errors.ts';
import type { FaultName } from './fault-site.ts';

/** The outcome of an audit. A list has several, because the speed of the machine decides which occurs first. */
export type Outcome = 'measured' | ErrorCode;
export type Expected = Outcome | readonly Outcome[] | { code: ErrorCode; pageStatus: number };

export const outcomesOf = (name: FaultName): readonly Outcome[] => {
  const expected = expectations[name];
  if (typeof expected === 'string') return [expected];
  return 'code' in expected ? [expected.code] : expected;
};

export const pageStatusOf = (name: FaultName): number | undefined => {
  const expected = expectations[name];
  return typeof expected === 'object' && 'pageStatus' in expected ? expected.pageStatus : undefined;
};

const answered = (pageStatus: number) => ({ code: 'page_error', pageStatus }) as const;
const late = ['lighthouse_timeout', 'page_hung'] as const;
/** Outcomes if LIGHTHOUSE_TIMEOUT leaves Lighthouse time for its own limit. */
const slow = ['page_timeout', ...late] as const;
const endless = ['too_many_redirects', 'lighthouse_timeout'] as const;

export const expectations: Readonly<Record<FaultName, Expected>> = {
  fine: 'measured',

  pdf: 'page_not_html',
  'pdf-attachment': 'page_not_html',
  'pdf-untyped': 'page_not_html',
  zip: 'page_not_html',
  'zip-untyped': 'page_not_html',
  'html-attachment': 'page_not_html',
  json: 'page_not_html',
  image: 'page_not_html',
  'image-untyped': 'page_not_html',
  xml: 'page_not_html',
  text: 'page_not_html',
  'html-untyped': 'measured',

  '204': 'page_not_html',
  '205': 'page_not_html',
  '304': 'page_not_html',
  'empty-200': 'page_blank',
  'empty-200-untyped': 'page_not_html',
  'empty-404': answered(404),
  'empty-500': answered(500),
  'empty-500-untyped': answered(500),
  '401': answered(401),
  '403': answered(403),
  '404': answered(404),
  '500': answered(500),
  '503': answered(503),

  'redirect-loop': 'too_many_redirects',
  'redirect-chain': 'too_many_redirects',
  'redirect-to-404': answered(404),
  'redirect-to-never': 'lighthouse_timeout',
  'redirect-to-file': 'page_unreachable',
  'redirect-nowhere': 'page_not_html',

  'gzip-bomb': ['page_blank', ...slow],
  'brotli-bomb': ['page_blank', ...slow],

  never: 'lighthouse_timeout',
  'slow-headers': 'page_timeout',
  'slow-body': 'page_timeout',
  'slow-rest': 'measured',
  // A fast server may exceed the byte limit of the audit before its time is over.
  'endless-body': ['page_too_large', ...late],
  'endless-words': ['page_too_large', ...late],
  'length-too-long': 'page_unreachable',
  'length-too-short': 'measured',
  'reset-at-once': 'page_unreachable',
  'reset-in-headers': 'page_unreachable',
  'reset-in-body': 'page_unreachable',
  'no-http': 'page_unreachable',
  'slow-start': 'measured',
  'closed-port': 'page_unreachable',

  hang: 'page_hung',
  'hang-after-load': ['measured', 'page_hung'],
  'hang-in-timer': 'page_hung',
  'hang-in-wasm': 'page_hung',
  'hang-in-worker': 'measured',

  alert: 'measured',
  'alert-loop': 'page_hung',
  confirm: 'measured',
  prompt: 'measured',
  beforeunload: 'measured',
  print: 'measured',
  'print-loop': 'page_hung',
  windows: 'measured',

  'reload-loop': endless,
  'reload-loop-after-load': endless,
  'location-loop': endless,
  'meta-refresh-loop': endless,
  'leaves-after-load': 'measured',
  'starts-download': 'measured',
  'asks-for-nothing': 'measured',
  'push-state-loop': 'measured',
  'document-write-loop': 'measured',
  'frame-recursion': ['measured', ...late],

  crash: 'page_crashed',
  'crash-after-load': 'page_crashed',
  'crash-out-of-memory': 'page_crashed',
  'memory-bomb': 'measured',
  'many-nodes': 'measured',
  'many-requests': 'measured',
  'huge-script': 'measured',

  'open-socket': 'measured',
  'endless-fetch': 'measured',
  polling: 'measured',
  'hanging-service-worker': ['measured', ...slow],
  'hanging-service-worker-reload': late,

  blank: 'page_blank',
  'only-colour': 'page_blank',
  'paints-late': 'page_blank',
  'hostile-words': 'measured',

  'tls-expired': 'page_insecure',
  'tls-self-signed': 'page_insecure',
  'tls-wrong-name': 'page_insecure',
  'tls-on-plain-port': 'page_insecure',
  'plain-on-tls-port': 'page_unreachable',
};
