import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LighthouseError } from 'lighthouse/core/lib/lh-error.js';
import { getAvailableLocales, getFormatted } from 'lighthouse/shared/localization/format.js';
import { buildLhr } from '../../../test/support/builders/lhr.ts';
import { AnalysisError, type ErrorCode } from '../../contract/errors.ts';
import {
  assertMeasured,
  assertNoRuntimeError,
  findErrorStatus,
  pageAnswered,
  toMachineFailure,
  toPageFailure,
} from './page-failure.ts';

const thrownBy = (run: () => void): AnalysisError => {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof AnalysisError);
    return error;
  }
  assert.fail('nothing was thrown');
};

/** Every code that Lighthouse can give; null: it says nothing of the page. */
const expected: Record<string, ErrorCode | null> = {
  NO_SPEEDLINE_FRAMES: 'page_blank',
  SPEEDINDEX_OF_ZERO: 'page_blank',
  NO_SCREENSHOTS: 'page_blank',
  INVALID_SPEEDLINE: 'page_blank',
  NO_TRACING_STARTED: null,
  NO_RESOURCE_REQUEST: 'page_blank',
  NO_NAVSTART: 'page_blank',
  NO_FCP: 'page_blank',
  NO_DCL: 'page_blank',
  NO_FMP: null,
  NO_LCP: 'page_blank',
  NO_LCP_ALL_FRAMES: null,
  UNSUPPORTED_OLD_CHROME: null,
  NO_TTI_CPU_IDLE_PERIOD: null,
  NO_TTI_NETWORK_IDLE_PERIOD: null,
  NO_DOCUMENT_REQUEST: 'page_unreachable',
  FAILED_DOCUMENT_REQUEST: 'page_unreachable',
  ERRORED_DOCUMENT_REQUEST: 'page_error',
  INSECURE_DOCUMENT_REQUEST: 'page_insecure',
  CHROME_INTERSTITIAL_ERROR: 'page_insecure',
  PAGE_HUNG: 'page_hung',
  NOT_HTML: 'page_not_html',
  TRACING_ALREADY_STARTED: null,
  PARSING_PROBLEM: null,
  READ_FAILED: null,
  INVALID_URL: null,
  PROTOCOL_TIMEOUT: 'page_hung',
  DNS_FAILURE: 'page_unreachable',
  CRI_TIMEOUT: null,
  MISSING_REQUIRED_ARTIFACT: null,
  ERRORED_REQUIRED_ARTIFACT: null,
  TARGET_CRASHED: 'page_crashed',
};

/** These come from PSI or older versions, but are not in the table of the version at hand. */
const elsewhere: Record<string, ErrorCode | null> = { TARGET_DETACHED: 'page_crashed', UNKNOWN_ERROR: null };

test('every Lighthouse code has a row, and no row has an unknown code', () => {
  assert.deepEqual(Object.keys(expected).toSorted(), Object.keys(LighthouseError.errors).toSorted());
});

for (const [lighthouseCode, code] of Object.entries({ ...expected, ...elsewhere }))
  test(`${lighthouseCode} is ${code ?? 'no failure of the page'}`, () => {
    const message = `Something happened. (${lighthouseCode})`;
    const failure = toPageFailure(lighthouseCode, message);
    assert.equal(failure?.code ?? null, code);
    if (!failure) return;
    assert.equal(failure.lighthouseCode, lighthouseCode);
    assert.equal(failure.lighthouseMessage, message);
    assert.equal(failure.source, undefined);
    assert.match(failure.message, /^The .+\.$/);
  });

test('an unknown Lighthouse code says nothing about the page', () => {
  for (const code of ['', 'no_fcp', 'SOMETHING_NEW', 'constructor', 'toString', '__proto__', 'hasOwnProperty'])
    assert.equal(toPageFailure(code, 'x'), undefined, code);
});

const failedDocument = (netError: string) =>
  toPageFailure(
    'FAILED_DOCUMENT_REQUEST',
    `Lighthouse was unable to reliably load the page you requested. Make sure you are testing the correct URL and that the server is properly responding to all requests. (Details: net::${netError})`,
  );

const netErrors: [string, ErrorCode][] = [
  ['ERR_NAME_NOT_RESOLVED', 'page_unreachable'],
  ['ERR_CONNECTION_REFUSED', 'page_unreachable'],
  ['ERR_CONNECTION_RESET', 'page_unreachable'],
  ['ERR_CONNECTION_CLOSED', 'page_unreachable'],
  ['ERR_CONNECTION_FAILED', 'page_unreachable'],
  ['ERR_CONNECTION_TIMED_OUT', 'page_unreachable'],
  ['ERR_TIMED_OUT', 'page_timeout'],
  ['ERR_ADDRESS_UNREACHABLE', 'page_unreachable'],
  ['ERR_INTERNET_DISCONNECTED', 'page_unreachable'],
  ['ERR_TUNNEL_CONNECTION_FAILED', 'page_unreachable'],
  ['ERR_EMPTY_RESPONSE', 'page_unreachable'],
  ['ERR_INVALID_RESPONSE', 'page_unreachable'],
  ['ERR_INVALID_HTTP_RESPONSE', 'page_unreachable'],
  ['ERR_HTTP2_PROTOCOL_ERROR', 'page_unreachable'],
  ['ERR_QUIC_PROTOCOL_ERROR', 'page_unreachable'],
  ['ERR_BLOCKED_BY_CLIENT', 'page_unreachable'],
  ['ERR_UNSAFE_PORT', 'page_unreachable'],
  ['ERR_FAILED', 'page_unreachable'],
  ['ERR_TOO_MANY_REDIRECTS', 'too_many_redirects'],
  ['ERR_CERT_DATE_INVALID', 'page_insecure'],
  ['ERR_CERT_AUTHORITY_INVALID', 'page_insecure'],
  ['ERR_CERT_COMMON_NAME_INVALID', 'page_insecure'],
  ['ERR_CERTIFICATE_TRANSPARENCY_REQUIRED', 'page_insecure'],
  ['ERR_SSL_PROTOCOL_ERROR', 'page_insecure'],
  ['ERR_SSL_VERSION_OR_CIPHER_MISMATCH', 'page_insecure'],
  ['ERR_BAD_SSL_CLIENT_AUTH_CERT', 'page_insecure'],
  ['ERR_ABORTED', 'page_not_html'],
  ['ERR_INVALID_RESPONSE_HEADERS', 'page_not_html'],
];

for (const [netError, code] of netErrors)
  test(`a document that failed with ${netError} is ${code}, and the detail names the network error`, () => {
    const failure = failedDocument(netError);
    assert.equal(failure?.code, code);
    assert.equal(failure?.lighthouseCode, 'FAILED_DOCUMENT_REQUEST');
    assert.match(failure?.message ?? '', new RegExp(`\\(${netError}\\)\\.$`));
  });

test('a network error refines only what would be unreachable', () => {
  assert.equal(toPageFailure('NO_FCP', 'net::ERR_CERT_DATE_INVALID')?.code, 'page_blank');
  assert.equal(toPageFailure('READ_FAILED', 'net::ERR_TOO_MANY_REDIRECTS'), undefined);
});

test('the detail of an insecure page names the fault of its certificate', () => {
  const message = 'The URL you have provided does not have a valid security certificate. net::ERR_CERT_DATE_INVALID';
  assert.match(toPageFailure('INSECURE_DOCUMENT_REQUEST', message)?.message ?? '', /\(ERR_CERT_DATE_INVALID\)\.$/);
});

type Locale = Parameters<typeof getFormatted>[1];

/** Lighthouse's own text in each of its languages. Its pseudo-locale en-XA pads every text with English number words. */
const translations = (i18nId: string, values: Record<string, string | number>): [Locale, string][] =>
  getAvailableLocales()
    .filter(locale => locale !== 'en-XA')
    .map(locale => [locale, getFormatted({ i18nId, values, formattedDefault: '' }, locale)]);

test('a page that is not HTML has its MIME type in the detail, in every language of Lighthouse', () => {
  for (const mimeType of ['application/pdf', 'image/svg+xml', 'application/vnd.ms-excel'])
    for (const [locale, message] of translations('core/lib/lh-error.js | notHtml', { mimeType })) {
      const failure = toPageFailure('NOT_HTML', message);
      assert.equal(failure?.code, 'page_not_html');
      assert.equal(failure?.message, `The URL does not return an HTML page (${mimeType}).`, locale);
    }
});

test('a download is not HTML, and no MIME type is made up for it', () => {
  const failure = toPageFailure('NOT_HTML', 'The page provided is not HTML (served as a download).');
  assert.equal(failure?.message, 'The URL does not return an HTML page.');
});

test('a page that answered with an error has its status, in any language of Lighthouse', () => {
  for (const statusCode of ['400', '404', '410', '429', '451', '500', '503', '599'])
    for (const [locale, message] of translations('core/lib/lh-error.js | pageLoadFailedWithStatusCode', {
      statusCode,
    })) {
      const failure = toPageFailure('ERRORED_DOCUMENT_REQUEST', message);
      assert.equal(failure?.code, 'page_error', locale);
      assert.equal(failure?.pageStatus, Number(statusCode), locale);
      assert.equal(failure?.lighthouseCode, 'ERRORED_DOCUMENT_REQUEST');
      assert.equal(failure?.lighthouseMessage, message);
      assert.match(failure?.message ?? '', new RegExp(statusCode));
    }
});

test('an error page without a known status is still an error page', () => {
  for (const message of ['', 'It failed.', '(Status code: 200)', '(Status code: none)']) {
    const failure = toPageFailure('ERRORED_DOCUMENT_REQUEST', message);
    assert.equal(failure?.code, 'page_error');
    assert.equal(failure?.pageStatus, undefined, message);
  }
});

test('a status that no standard defines is an error from 400 on, as in Lighthouse', () => {
  for (const status of [400, 600, 999, 9999, 2_147_483_647]) {
    const failure = toPageFailure('ERRORED_DOCUMENT_REQUEST', `It failed. (Status code: ${status})`);
    assert.deepEqual([failure?.code, failure?.pageStatus], ['page_error', status]);
    assert.equal(findErrorStatus([`It failed. (Status code: ${status})`]), status);
  }
});

test('an error status without content is an error of the page, even if its number is unknown', () => {
  const failure = toPageFailure('FAILED_DOCUMENT_REQUEST', '(Details: net::ERR_HTTP_RESPONSE_CODE_FAILURE)');
  assert.deepEqual([failure?.code, failure?.pageStatus], ['page_error', undefined]);
});

test('the reason why content is invisible is named', () => {
  const detailOf = (kind: string) => toPageFailure('NO_FCP', `Nothing. (Invisible: ${kind})`)?.message ?? '';
  assert.match(detailOf('opacity'), /its content has `opacity: 0`\.$/);
  assert.equal(toPageFailure('NO_FCP', 'Nothing. (Invisible: opacity)')?.lighthouseMessage, 'Nothing.');
  assert.match(detailOf('fade-in'), /fades in from `opacity: 0`/);
  assert.match(detailOf('hidden'), /visibility: hidden/);
  assert.equal(detailOf('unknown'), toPageFailure('NO_FCP', 'Nothing.')?.message);
});

test('an artifact that was not gathered in time is fatal only if nothing has a score', () => {
  const runtimeError = { code: 'PROTOCOL_TIMEOUT', message: 'Waiting for DevTools protocol response.' };
  const scored = (score: number | null) => ({ seo: { id: 'seo', title: 'SEO', score, auditRefs: [] } });
  assert.doesNotThrow(() => assertNoRuntimeError({ runtimeError, categories: scored(1) }, 'psi_unavailable'));
  for (const categories of [scored(null), {}])
    assert.equal(
      thrownBy(() => assertNoRuntimeError({ runtimeError, categories }, 'psi_unavailable')).code,
      'page_hung',
    );
});

test('the page status is not used with any other code', () => {
  assert.equal(toPageFailure('NO_FCP', 'Blank. (Status code: 503)')?.pageStatus, undefined);
});

test('pageAnswered has the status in words and as a number', () => {
  const failure = pageAnswered(503);
  assert.equal(failure.code, 'page_error');
  assert.equal(failure.pageStatus, 503);
  assert.equal(failure.lighthouseCode, undefined);
  assert.equal(failure.message, 'The page returned status 503 instead of its content.');
});

test('a warning of an error status is found in any requested language', () => {
  for (const errorCode of [400, 403, 404, 500, 503, 599])
    for (const [locale, warning] of translations('core/lib/navigation-error.js | warningStatusCode', { errorCode }))
      assert.equal(findErrorStatus([warning]), errorCode, `${locale}: ${warning}`);
});

test('a warning of an error status is found among others', () => {
  assert.equal(findErrorStatus(['Slow device.', 'Unable to load. (Status code: 404)', 'More.']), 404);
  assert.equal(findErrorStatus(['(Status code: 503)', '(Status code: 404)']), 503);
});

test('no other warning names an error status', () => {
  const redirected = { requested: 'http://example.com:404/', final: 'http://example.com:503/a:500' };
  const others = [
    ...translations('core/gather/driver/navigation.js | warningRedirected', redirected),
    ...translations('core/gather/driver/navigation.js | warningTimeout', {}),
    ...translations('core/gather/driver/environment.js | warningSlowHostCpu', {}),
    ...translations('core/gather/driver/storage.js | warningData', { locationCount: 1, locations: 'IndexedDB' }),
    ...translations('core/lib/navigation-error.js | warningXhtml', {}),
    ...translations('core/gather/gatherers/link-elements.js | headerParseWarning', {
      error: 'Unexpected character',
      header: '<a>; (Status code: 503)',
    }),
  ];
  assert.ok(others.length > 400);
  for (const [locale, warning] of others) assert.equal(findErrorStatus([warning]), undefined, `${locale}: ${warning}`);
});

test('statuses that are not errors, and text that only looks like one, are not found', () => {
  assert.equal(findErrorStatus([]), undefined);
  for (const warning of ['(Status code: 200)', '(Status code: 304)', '(Status code: 399)', '503', ''])
    assert.equal(findErrorStatus([warning]), undefined, warning);
});

test('a result without a runtime error passes', () => {
  assert.doesNotThrow(() => assertNoRuntimeError(buildLhr(), 'psi_unavailable'));
  const noError = buildLhr({ runtimeError: { code: 'NO_ERROR', message: '' } });
  assert.doesNotThrow(() => assertNoRuntimeError(noError, 'psi_unavailable'));
  // PSI's wire format has no empty strings.
  assert.doesNotThrow(() => assertNoRuntimeError(buildLhr({ runtimeError: { code: 'NO_ERROR' } }), 'psi_unavailable'));
});

test("a runtime error of the page is thrown as the page's failure, even without a message", () => {
  for (const runtimeError of [{ code: 'NO_FCP', message: 'The page did not paint any content.' }, { code: 'NO_FCP' }]) {
    const failure = thrownBy(() => assertNoRuntimeError(buildLhr({ runtimeError }), 'psi_unavailable'));
    assert.equal(failure.code, 'page_blank');
    assert.equal(failure.lighthouseCode, 'NO_FCP');
    assert.equal(failure.lighthouseMessage, runtimeError.message ?? '');
  }
});

test("a runtime error that is not the page's is thrown with the client's code", () => {
  for (const otherwise of ['psi_unavailable', 'lighthouse_unavailable'] as const)
    for (const code of ['CRI_TIMEOUT', 'UNKNOWN_ERROR', 'SOMETHING_NEW', 'constructor']) {
      const failure = thrownBy(() =>
        assertNoRuntimeError(buildLhr({ runtimeError: { code, message: 'm' } }), otherwise),
      );
      assert.equal(failure.code, otherwise);
      assert.equal(failure.lighthouseCode, code);
      assert.equal(failure.lighthouseMessage, 'm');
    }
});

test("the failure of a machine suggests a retry and contains Lighthouse's message", () => {
  const failure = toMachineFailure('psi_unavailable', undefined, 'Something went wrong.');
  assert.equal(failure.code, 'psi_unavailable');
  assert.equal(failure.lighthouseCode, undefined);
  assert.equal(failure.lighthouseMessage, 'Something went wrong.');
  assert.match(failure.message, /Retry\.$/);
});

test('a measured error page is not a result, in any language; a good page with warnings is one', () => {
  for (const [locale, warning] of translations('core/lib/navigation-error.js | warningStatusCode', {
    errorCode: 503,
  })) {
    const failure = thrownBy(() => assertMeasured(buildLhr({ runWarnings: ['x', warning] }), 'psi_unavailable'));
    assert.equal(failure.code, 'page_error', locale);
    assert.equal(failure.pageStatus, 503, locale);
  }
  assert.doesNotThrow(() => assertMeasured(buildLhr({ runWarnings: ['Slow device.'] }), 'psi_unavailable'));
  const { runWarnings: _, ...withoutWarnings } = buildLhr();
  assert.doesNotThrow(() => assertMeasured(withoutWarnings, 'psi_unavailable'));
});

test('a runtime error takes precedence over a status', () => {
  const lhr = buildLhr({ runtimeError: { code: 'NO_FCP', message: 'm' }, runWarnings: ['(Status code: 503)'] });
  assert.equal(thrownBy(() => assertMeasured(lhr, 'psi_unavailable')).code, 'page_blank');
});
