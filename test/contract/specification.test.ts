/**
 * Every table row of the specification, sections 2 to 8, and every promise between the tables, with the tests that show
 * it. A test that no longer has that name fails here.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readTableRows } from './markdown.ts';
import { projectRoot } from './source-files.ts';

/** A test file under test/, without `.test.ts`, and the name of a test in it. */
type Shown = readonly [file: string, test: string];

const document: Shown = [
  'contract/openapi',
  'every operation has the parameters, body and responses of the specification',
];
const body = (name: string): Shown => ['http/validation-body', name];
const query = (name: string): Shown => ['http/validation-query', name];
const psiGet = (name: string): Shown => ['psi/psi-get', name];
const lighthouse = (name: string): Shown => ['local/lighthouse', name];
const compare = (name: string): Shown => ['compare/compare', name];
const notFound = (name: string): Shown => ['http/not-found', name];

const invalidBody: Shown = ['contract/openapi', 'the 422 body is the validation error of section 2.3'];
const urlRequired = query('url is required on every GET analysis operation');
const singleStrategy = query('strategy on /lighthouse and /compare is mobile or desktop, not both');
const categoryList = query('categories are a comma-separated list from the four');
const detailedBoolean = query('detailed is read as pydantic reads booleans');
const clears: Shown = ['psi/cache', 'POST /cache/clear empties the cache and returns the number of results'];
const requestFields: Shown = ['contract/openapi', 'the analysis request has the fields of section 2.1'];

/** Section, then the first cell of each row; in 4.6 also the second. */
const tableRows: Readonly<Record<string, Readonly<Record<string, readonly Shown[]>>>> = {
  '2.1': {
    url: [requestFields, body('url is a string'), body('null counts as missing')],
    urls: [requestFields, body('urls is a list'), body('urls has 1 to 100 items')],
    strategy: [
      requestFields,
      body('strategy in a body is mobile, desktop or both'),
      ['psi/psi-post', 'strategy on POST /psi defaults to both'],
    ],
    categories: [
      requestFields,
      body('categories in a body are a list of the four'),
      body('categories of null and an empty list mean all four'),
    ],
    detailed: [
      requestFields,
      body('detailed in a body is read as pydantic reads booleans'),
      body('detailed defaults to false'),
    ],
  },
  '2.2': {
    url: [document, urlRequired],
    strategy: [document, query('strategy on /psi is mobile, desktop or both'), singleStrategy],
    categories: [document, categoryList],
    detailed: [document, detailedBoolean, query('detailed is not a parameter of /lighthouse and /compare')],
  },
  '2.3': {
    detail: [invalidBody, query('all faults of a query are reported together, in the order of its fields')],
    loc: [invalidBody, body('invalid JSON is rejected at its position')],
    msg: [invalidBody, body('a wrong category in a body is named by its index')],
    type: [invalidBody, body('all faults of a body are reported together, in the order of its fields')],
  },
  '4.2': {
    url: [document, urlRequired, query('a URL that is not a page is rejected with a reason')],
    strategy: [document, psiGet('strategy on GET /psi defaults to both')],
    categories: [document, psiGet('categories of GET /psi are the only ones in the scores')],
    detailed: [document, psiGet('detailed on GET /psi defaults to false, and true adds the full audit data')],
  },
  '4.4': {
    url: [document, urlRequired],
    strategy: [document, lighthouse('strategy on GET /lighthouse defaults to mobile'), singleStrategy],
    categories: [
      document,
      lighthouse('categories on GET /lighthouse default to all four'),
      lighthouse('categories on GET /lighthouse limit what is run'),
    ],
  },
  '4.5': {
    url: [document, urlRequired],
    strategy: [
      document,
      compare('strategy on GET /compare defaults to mobile, categories to all four'),
      singleStrategy,
    ],
    categories: [document, compare('both sides run in parallel'), categoryList],
  },
  '4.6': {
    'GET /health': [document, ['http/health', 'GET /health answers 200 with the state of every part']],
    'GET /psi': [document, psiGet('GET /psi answers 200 with scores, metrics, core web vitals and failed audits')],
    'POST /psi': [document, ['psi/psi-post', 'POST /psi with url answers like GET /psi']],
    'POST /cache/clear': [document, clears],
    'GET /lighthouse': [document, lighthouse('GET /lighthouse answers 200 with a local Lighthouse report')],
    'GET /compare': [document, compare('GET /compare answers 200 with both results')],
  },
  '7': {
    '422': [urlRequired, query('detailed that is not a boolean is rejected'), body('the body is required')],
    '404': [notFound('an unrouted GET answers 404 with exactly the headers of the specification')],
  },
  '8': {
    'Parallel local analyses': [
      ['local/local-limits', 'no more than 2 local analyses run in parallel, the others wait'],
      ['http/health', 'at most 2 local analyses run in parallel'],
    ],
  },
};

const otherLines: Readonly<Record<string, readonly Shown[]>> = {
  '1 a batch of URLs': [['psi/batch', 'one invalid URL in a batch of five leaves four results']],
  '3 POST /cache/clear empties the only stored data': [clears],
  '4.2.1 the request body is required': [body('the body is required')],
  '4.3 no parameters, no body': [['psi/cache', 'POST /cache/clear needs no body and ignores one']],
  '4.4 the response always holds the full audit data': [lighthouse('GET /lighthouse always has the full audit data')],
  '4.5 both run in parallel for the same input': [compare('both sides run in parallel')],
  '7 /robots.txt and /favicon.ico': [notFound('/robots.txt and /favicon.ico stay unrouted')],
  '7 x-robots-tag in one variant': [notFound('NOINDEX adds x-robots-tag, and is off by default')],
  '7 debug headers': [
    notFound('debug mode adds the headers of the specification'),
    notFound('the debug token link opens the record'),
  ],
  '7 the message': [notFound('the message names the method and the full URL')],
  '9 version 2.0.0': [['contract/openapi', 'the document has version 2.0.0 and is OpenAPI 3.1']],
  '9 version 5 of the remote API': [['psi/psi-key', 'the request is what PSI v5 clients send']],
  '9 paths carry no version': [notFound('paths match exactly: case, trailing slashes and double slashes count')],
};

const isThere = ([file, name]: Shown): boolean => {
  const path = `${projectRoot}test/${file}.test.ts`;
  if (!existsSync(path)) return false;
  const text = readFileSync(path, 'utf8');
  return [`'${name}'`, `"${name}"`].some(quoted => text.includes(`test(${quoted},`));
};

test('every test that covers a line of the specification exists', () => {
  const shown = [...Object.values(tableRows).flatMap(rows => Object.values(rows)), ...Object.values(otherLines)];
  assert.ok(shown.every(tests => tests.length > 0));
  assert.deepEqual(
    shown.flat().filter(entry => !isThere(entry)),
    [],
  );
});

/** First cells of all rows, by section. The specification is not part of this project. */
function readSpecification(path: URL): Record<string, string[]> {
  const sections = readFileSync(path, 'utf8')
    .split(/^#{2,3} (?=\d)/m)
    .slice(1);
  return Object.fromEntries(
    sections.flatMap(section => {
      const [number = ''] = section.split(/\.? /, 1);
      const rows = readTableRows(section).map(([first = '', second = '']) =>
        number === '4.6' ? `${first} ${second}` : first,
      );
      return rows.length > 0 ? [[number, rows]] : [];
    }),
  );
}

test('every table row of the specification is in the list', t => {
  const path = new URL('../../../shared/spec/service-interface.md', import.meta.url);
  if (!existsSync(path)) return t.skip('skipped: there is no specification beside this project');
  const listed = Object.entries(tableRows).map(([section, rows]) => [section, Object.keys(rows).toSorted()]);
  const specified = Object.entries(readSpecification(path)).map(([section, rows]) => [section, rows.toSorted()]);
  assert.deepEqual(Object.fromEntries(listed), Object.fromEntries(specified));
});
