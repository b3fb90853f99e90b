import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createReplacer } from './replacer.ts';
import { createScrub, secretsOf } from './scrub.ts';

suite('the scrubbing of secrets', () => {
  const secret = `a b/c+d"e'f<g>&\\h-é😀-Sentinel`;
  const replace = createReplacer([secret], '•••');

  test('a secret is hidden in each spelling, alone and mixed', () => {
    const html = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    const spellings = [
      secret,
      secret.toUpperCase(),
      JSON.stringify(secret).slice(1, -1),
      JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/').replaceAll('<', '\\u003c'),
      encodeURIComponent(secret),
      encodeURIComponent(secret).toLowerCase(),
      encodeURIComponent(encodeURIComponent(secret)),
      encodeURI(secret),
      new URLSearchParams({ a: secret }).toString().slice(2),
      html,
      html.replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
      html.replaceAll('"', '&#34;').replaceAll("'", '&#x27;').replaceAll('/', '&#x2F;'),
    ];
    for (const spelling of spellings) assert.equal(replace(`x${spelling}y`), 'x•••y', spelling);
  });

  test('a secret without four letters in a row is hidden, too', () => {
    assert.equal(createReplacer(['пароль-1!', '12-34-56'], '•')('a=пароль-1!&b=12%2D34-56'), 'a=•&b=•');
  });

  test('the beginning and the end of a secret are hidden where a text was shortened', () => {
    const token = `eyJhbGciOi${'JIUzI1NiIs'.repeat(40)}.end-of-token`;
    const hide = createReplacer([token], '•');
    assert.equal(hide(`data-token="${token.slice(0, 74)}…"`), 'data-token="•…"');
    assert.equal(hide(`${token.slice(0, 50)}…${token.slice(-49)}`), '•…•');
    assert.equal(hide(`${token.slice(0, 14)} is only a beginning`), `${token.slice(0, 14)} is only a beginning`);
  });

  test('a long secret is hidden as a whole', () => {
    const long = Array.from({ length: 20_000 }, (_, at) => at.toString(36)).join('-');
    assert.equal(createReplacer([long], '•')(`a ${long} b`), 'a • b');
  });

  test('a long secret that repeats itself costs no more than another', () => {
    const long = 'large '.repeat(30_000);
    assert.equal(createReplacer([long], '•')(`a ${long}b…`), 'a •b…');
  });

  test('neighbouring and overlapping secrets are hidden', () => {
    assert.equal(createReplacer(['abcdefgh', 'efghijkl', 'mnopqr'], '•')('abcdefghijklmnopqr.'), '•.');
  });

  test('each secret of a large session is found', () => {
    const values = Array.from({ length: 3_000 }, (_, at) => `value-${at * 7919}-of-session`);
    const hide = createReplacer(values, '•');
    assert.equal(hide(values.join(' ')), values.map(() => '•').join(' '));
  });

  test('names of fields and of events: a secret in a name is hidden, a word of the browser is not', () => {
    const scrub = createScrub(['Sentinel-1', 'timeline'], []);
    const event = { cat: 'devtools.timeline', ph: 'X', name: 'timeline', args: { data: { text: 'timeline' } } };
    assert.deepEqual(scrub.data({ 'https://a.example/?Sentinel-1': 1, traceEvents: [event] }), {
      'https://a.example/?•••': 1,
      traceEvents: [{ ...event, args: { data: { text: '•••' } } }],
    });
  });

  test('the name of a user timing is text of the page, that of a timing of the browser is not', () => {
    const mark = { cat: 'blink.user_timing', ph: 'R', name: 'open Sentinel-1', args: { data: {} } };
    const own = { ...mark, name: 'navigationStart', args: { frame: 'F' } };
    const hidden = createScrub(['Sentinel-1', 'navigationStart'], []).data([{ ...mark }, own]);
    assert.deepEqual(hidden, [{ ...mark, name: 'open •••' }, own]);
  });

  test('a network log keeps no sent data, and no credential that only its name shows', () => {
    const frame = { method: 'Network.webSocketFrameSent', params: { response: { opcode: 1, payloadData: '{"a":1}' } } };
    const headers = { 'X-Access-Token': 'short', 'x-session-id': 'short', accept: '*/*' };
    const sent = { method: 'Network.requestWillBeSent', params: { request: { headers } } };
    assert.deepEqual(createScrub([], []).data([frame, sent]), [
      { ...frame, params: { response: { opcode: 1 } } },
      { ...sent, params: { request: { headers: { accept: '*/*' } } } },
    ]);
  });

  test('a picture is not changed by a secret that its letters contain', () => {
    const picture = 'data:image/jpeg;base64,AAAAAAAAAA';
    assert.deepEqual(createScrub(['AAAAAA'], []).data({ picture, text: 'AAAAAA' }), { picture, text: '•••' });
  });

  test('words and hosts that a site stored are no secrets; a typed word is one', () => {
    const secrets = secretsOf(
      {
        cookies: [
          { name: 'mode', value: 'performance' },
          { name: 'cdn', value: 'cdn.shop.example' },
          { name: 'sid', value: 'f00dfeed' },
        ],
        secrets: { PASSWORD: 'swordfish' },
        session_storage: { 'https://a.example': { user: '{"token":"0123456789abcdef","api":"https://api.example/"}' } },
      },
      'https://a.example/',
    );
    assert.deepEqual([...secrets], ['swordfish', 'f00dfeed', '0123456789abcdef']);
  });

  test('a token is a secret however deep it is stored, also in a cookie', () => {
    const nest = (inside: unknown, levels: number): unknown =>
      levels === 0 ? inside : { in: nest(inside, levels - 1) };
    const deep = JSON.stringify(nest('0123456789abcdef', 50));
    const cookie = encodeURIComponent('{"access_token":"fedcba9876543210"}');
    const given = { cookies: [{ name: 'user', value: cookie }], session_storage: { 'https://a.example': { deep } } };
    const secrets = [...secretsOf(given, 'https://a.example/')];
    assert.deepEqual(secrets, [cookie, '0123456789abcdef', 'fedcba9876543210']);
  });
});
