import assert from 'node:assert/strict';
import type { ValidationError } from '../../../src/contract/problem.ts';
import type { Answer } from './ask.ts';

export type Invalid = { detail: ValidationError[] };

/** Asserts a 422 with exactly these items in this order, each with only loc, msg and type. */
export function assertInvalid({ status, headers, body }: Answer<Invalid>, expected: readonly ValidationError[]): void {
  assert.equal(status, 422, JSON.stringify(body));
  assert.equal(headers.get('content-type'), 'application/json');
  assert.deepEqual(body, { detail: expected });
}

export const required = (...loc: ValidationError['loc']): ValidationError => ({
  loc,
  msg: 'Field required',
  type: 'missing',
});

export const literal = (loc: ValidationError['loc'], choices: string): ValidationError => ({
  loc,
  msg: `Input should be ${choices}`,
  type: 'literal_error',
});

export const notBoolean = (...loc: ValidationError['loc']): ValidationError => ({
  loc,
  msg: 'Input should be a valid boolean, unable to interpret input',
  type: 'bool_parsing',
});

export const allStrategies = "'mobile', 'desktop' or 'both'";
export const oneStrategy = "'mobile' or 'desktop'";
export const allCategories = "'performance', 'accessibility', 'best-practices', 'seo' or 'agentic-browsing'";

/** Texts that are not acceptable page URLs, each with its error type and a pattern of its message. */
export const badUrls: readonly (readonly [text: string, type: string, message: RegExp])[] = [
  ['', 'url_parsing', /input is empty/],
  ['example.com', 'url_parsing', /write 'https:\/\/example\.com' with its scheme/],
  ['localhost:3000/x', 'url_parsing', /write 'http:\/\/localhost:3000\/x' with its scheme/],
  ['/just/a/path', 'url_parsing', /with its scheme/],
  ['http://', 'url_parsing', /empty host/],
  ['http://user:secret@example.com/', 'value_error', /user name or password is not allowed/],
  ['file:///etc/passwd', 'url_scheme', /^URL scheme should be 'http' or 'https'$/],
  ['javascript:alert(1)', 'url_scheme', /^URL scheme should be 'http' or 'https'$/],
  ['ftp://example.com/', 'url_scheme', /^URL scheme should be 'http' or 'https'$/],
  ['http://example.com:22/', 'value_error', /port 22 is not allowed/],
  ['http://example.com:99999/', 'url_parsing', /invalid port number/],
  ['http://exa\u0000mple.com/', 'url_parsing', /control characters are not allowed/],
  ['http://example.com/a\nb', 'url_parsing', /control characters are not allowed/],
  ['http://[::1/', 'url_parsing', /invalid IPv6 address/],
  [`http://example.com/${'a'.repeat(2048)}`, 'url_too_long', /^URL should have at most 2048 characters$/],
];
