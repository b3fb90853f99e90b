import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnalysisError } from '../../contract/errors.ts';
import { firstLine, isLessTelling, stopsEveryAudit, toAuditFailure, unavailable } from './audit-failure.ts';
import { appLink, documentLate } from './messages.ts';
import { WorkerFailure } from './worker-processes/worker-process.ts';

test('the message is the first line with text', () => {
  const texts: readonly (readonly [string, string])[] = [
    ['one', 'one'],
    ['one\ntwo', 'one'],
    ['\n  \n\tone \r\ntwo', 'one'],
    ['', 'no reason given'],
    [' \n\t\n', 'no reason given'],
  ];
  for (const [text, line] of texts) assert.equal(firstLine(text), line);
});

test('lighthouse_unavailable has its reason, and the cause for the log', () => {
  const cause = new Error('cause');
  const error = unavailable('no browser', cause);
  assert.equal(error.code, 'lighthouse_unavailable');
  assert.equal(error.message, 'Local audits are not possible here: no browser.');
  assert.equal(error.cause, cause);
  assert.equal(unavailable('no browser').cause, undefined);
});

test('lighthouse_unavailable names no file of this machine', () => {
  const reasons = [
    [
      "EACCES: permission denied, access '/opt/some where/chrome'",
      "EACCES: permission denied, access '[path] where/chrome'",
    ],
    ['spawn /usr/bin/chromium ENOENT', 'spawn [path] ENOENT'],
    ['no usable sandbox and/or namespaces', 'no usable sandbox and/or namespaces'],
    ['see https://example.com/a/b', 'see https://example.com/a/b'],
  ] as const;
  for (const [reason, told] of reasons)
    assert.equal(unavailable(reason).message, `Local audits are not possible here: ${told}.`);
});

test('a worker or browser that did not start makes local audits unavailable, whatever its message', () => {
  for (const during of ['start', 'launch'] as const)
    for (const message of ['spawn EACCES', 'Target closed', 'net::ERR_NAME_NOT_RESOLVED']) {
      const failure = new WorkerFailure(during, `\n${message}\nstderr: /home/someone/secret`, 'NO_FCP');
      const error = toAuditFailure(failure);
      assert.equal(error.code, 'lighthouse_unavailable', `${during}: ${message}`);
      assert.equal(error.message, `Local audits are not possible here: ${message}.`);
      assert.equal(error.cause, failure);
    }
});

test("Lighthouse's code determines the failure of a page", () => {
  const failures = [
    ['NO_FCP', 'page_blank'],
    ['DNS_FAILURE', 'page_unreachable'],
    ['PAGE_HUNG', 'page_hung'],
    ['NOT_HTML', 'page_not_html'],
    ['TARGET_CRASHED', 'page_crashed'],
    ['PROTOCOL_TIMEOUT', 'page_hung'],
  ] as const;
  for (const [lighthouseCode, code] of failures) {
    const error = toAuditFailure(new WorkerFailure('audit', 'Target closed', lighthouseCode));
    assert.deepEqual([error.code, error.lighthouseCode], [code, lighthouseCode]);
    assert.equal(error.lighthouseMessage, 'Target closed');
  }
});

test('a late document is a timeout of the page, not of this machine', () => {
  const failure = new WorkerFailure('audit', 'The document had not arrived.', documentLate);
  const error = toAuditFailure(failure);
  assert.deepEqual([error.code, error.lighthouseCode, error.cause], ['page_timeout', undefined, failure]);
  assert.match(error.message, /did not respond or paint/);
});

test('a page that leads to an app is no HTML page, and the scheme is named', () => {
  const toDetail = (message: string) => {
    const { code, message: detail } = toAuditFailure(new WorkerFailure('audit', message, appLink));
    assert.equal(code, 'page_not_html');
    return detail;
  };
  assert.match(toDetail('myshop:// is a scheme'), /leads to an app \(`myshop:\/\/`\)/);
  assert.match(toDetail('tel: is a scheme'), /leads to an app \(`tel:`\)/);
  assert.match(toDetail('<b>no scheme</b>'), /leads to an app \(`unknown:`\)/);
});

test('a second try that ran out of time, or could not start, says less than the first failure', () => {
  for (const code of ['lighthouse_timeout', 'lighthouse_unavailable'] as const)
    assert.ok(isLessTelling(new AnalysisError(code, 'Late.')));
  for (const error of [new AnalysisError('page_error', 'It failed.'), new AnalysisError('shutting_down', 'x'), 'gone'])
    assert.ok(!isLessTelling(error));
});

test('the status of a page that answered with an error is passed on', () => {
  const failure = new WorkerFailure('audit', 'Unable to load (Status code: 503)', 'ERRORED_DOCUMENT_REQUEST');
  const error = toAuditFailure(failure);
  assert.deepEqual([error.code, error.pageStatus], ['page_error', 503]);
});

test('a browser that ended during the audit was crashed by the page', () => {
  const messages = [
    'Protocol error (Page.navigate): Target closed',
    'Protocol error: Session closed. Most likely the page has been closed.',
    'Protocol error: Connection closed.',
    'Target crashed',
    'Navigating frame was detached',
    'Page crashed!',
  ];
  for (const message of messages)
    for (const code of [undefined, 'SOMETHING_ELSE']) {
      const failure = new WorkerFailure('audit', message, code);
      const error = toAuditFailure(failure);
      assert.equal(error.code, 'page_crashed', message);
      assert.equal(error.cause, failure);
      assert.ok(!error.message.includes(message), 'nobody needs these words');
    }
});

test("any other failure is the machine's, can be retried, and its message is hidden", () => {
  for (const code of [undefined, 'UNSUPPORTED_OLD_CHROME', 'constructor', 'toString']) {
    const error = toAuditFailure(new WorkerFailure('audit', 'the worker ended (SIGKILL) /home/someone', code));
    assert.equal(error.code, 'lighthouse_unavailable', code);
    assert.equal(error.lighthouseCode, code);
    assert.ok(!error.message.includes('/home/someone'));
  }
});

test('only a browser or worker that does not start makes all audits unavailable', () => {
  const rows: readonly (readonly [unknown, boolean])[] = [
    [new WorkerFailure('start', 'EACCES'), true],
    [new WorkerFailure('launch', 'ENOENT'), true],
    [new WorkerFailure('audit', 'Target closed'), false],
    [unavailable('no browser'), true],
    [new AnalysisError('page_blank', 'blank'), false],
    [new AnalysisError('lighthouse_timeout', 'late'), false],
    [new Error('lighthouse_unavailable'), false],
    [Object.assign(new Error('like one'), { code: 'lighthouse_unavailable' }), false],
    [new DOMException('gone', 'AbortError'), false],
    [undefined, false],
  ];
  for (const [error, expected] of rows) assert.equal(stopsEveryAudit(error), expected, String(error));
});
