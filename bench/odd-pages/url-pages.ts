/** Pages with odd host names and URLs. */
import { fine, pageWith } from '../../test/faults/answer.ts';
import { type Answer, failed, further, html, measured, type Row } from './answers.ts';

const named = (host: string) => measured(host, html(fine), { host });

/** Shows images on other subdomains of its own site. */
const onSubdomains: Answer = (socket, { target, head }) => {
  const port = /^host: .*:(\d+)/im.exec(head)?.[1];
  const images = ['cdn', 'img', 'a.b'].map(
    name => `<img src="http://${name}.localhost:${port}${target}dot.png" alt="A dot" width="9" height="9">`,
  );
  socket.write(html(pageWith({ body: images.join('') })));
};

export const namePages: readonly Row[] = [
  ...['shop.localhost', 'a.b.localhost', 'bücher.localhost', 'LOCALHOST', 'localhost.', 'my_shop.localhost'].map(named),
  ...['[::1]', '[::ffff:127.0.0.1]', '127.1', '2130706433', '127。0。0。1', 'ｌocalhost'].map(named),
  // The service names localhost instead, because other systems refuse this address.
  failed('target_forbidden', '0.0.0.0', html(fine), { host: '0.0.0.0' }),
  failed('page_unreachable', 'a name that does not exist', html(fine), { host: 'nowhere.invalid' }),
  measured('parts on three subdomains', onSubdomains, { host: 'shop.localhost' }),
  ...further([
    ...[
      'xn--bcher-kva.localhost',
      'localhost',
      'shop.localhost.',
      'Shop.LocalHost',
      '-a-.localhost',
      '1.localhost',
    ].map(named),
    ...[
      '[0:0:0:0:0:0:0:1]',
      '127.0.0.1.',
      '0x7f.0.0.1',
      '0177.0.0.1',
      'local%68ost',
      `${'a'.repeat(63)}.localhost`,
    ].map(named),
    failed('page_unreachable', 'an address on which nothing listens', html(fine), { host: '127.0.0.2' }),
  ]),
];

/** Answers only this spelling of the path and query, and 404 for any other. */
const only =
  (sent: string): Answer =>
  (socket, { target }) =>
    void socket.write(
      html(fine, [], target.replace(/^\/[^/?]*\//, '') === sent ? undefined : 'HTTP/1.1 404 Not Found'),
    );

const shorten = (path: string) => (path.length > 40 ? `${path.slice(0, 8)}… (${path.length} characters)` : path);
/** A URL whose path and query browsers send as `sent`. */
const at = (path: string, sent = path) => measured(shorten(path), only(sent), { path });

const long = 'x'.repeat(1900);
const japanese = '%E6%97%A5%E6%9C%AC/%E8%AA%9E?%E3%83%86%E3%82%B9%E3%83%88=1';

export const urlPages: readonly Row[] = [
  at('a|b', 'a%7Cb'),
  at('a^b', 'a%5Eb'),
  at('a`b', 'a%60b'),
  at('a"b', 'a%22b'),
  at(`?a'b`, '?a%27b'),
  at('a{b}', 'a%7Bb%7D'),
  at('?<b>', '?%3Cb%3E'),
  at('a\\b', 'a/b'),
  at('größe', 'gr%C3%B6%C3%9Fe'),
  at('日本/語?テスト=1', japanese),
  at('#/route/7?a=b', ''),
  at('#!/shop', ''),
  at('a/../b', 'b'),
  at('a/%2e%2e/b', 'b'),
  ...['?a|b', '?a[]=b&a[]=c', '%zz', '%00', '/a//b', 'a;jsessionid=1;b', long, 'gr%F6%DFe', '?', '%7C', 'a%2Fb'].map(
    path => at(path),
  ),
  // The service refuses a URL with a space by contract, and says how to write it.
  failed('invalid_url', 'a b', only('a%20b'), { path: 'a b' }),
  ...further([
    at('?a"b', '?a%22b'),
    at('a<b>', 'a%3Cb%3E'),
    at('?größe', '?gr%C3%B6%C3%9Fe'),
    at('🙂', '%F0%9F%99%82'),
    at('#hash', ''),
    at('a#', 'a'),
    at('?#', '?'),
    at('a?b#c?d', 'a?b'),
    at('a/./b', 'a/b'),
    at('a/%2E/b', 'a/b'),
    ...['?a^b', '?a`b', `a'b`, '?a{b}', 'a[b]', '?a\\b', '?%zz', '%', '?100%', '?%00', '%0d%0a', 'a//'].map(path =>
      at(path),
    ),
    ...[
      'a;b=c/d;e',
      '?a;b=c',
      'a,b!c$d&e(f)*+=@:',
      `?${long}`,
      'gr%C3%B6%C3%9Fe',
      'gr%c3%b6%c3%9fe',
      '??a=b',
      '?a=b?c',
    ].map(path => at(path)),
    ...['?%7c', '...', 'a%2f..%2fb', 'a%5Cb', '%2f', '~a', '%7Ea', 'a+b?c+d', 'a%20b', 'a%2520b'].map(path => at(path)),
    ...['index.php/a/b.html', '?url=http://a.example/?b=c', '?a=b&amp;c=d', 'http://a.example/', '*'].map(path =>
      at(path),
    ),
    ...['?utm_source=%E2%9C%93&x=%F0%9F%99%82', '%EF%BB%BF', '%E2%80%AE', '?a=1&a=2&&=&b'].map(path => at(path)),
  ]),
];
