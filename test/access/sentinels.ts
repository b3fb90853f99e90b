/** Secrets that are planted in every field of an access, and that must appear in nothing that leaves the request. */
import { type PrivateSite, privateSite } from '../support/sites/private-site.ts';

const { user, password, rotated, renewed } = privateSite;

/** Longer than the browser shows of an attribute, as tokens are. */
const longToken = `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.long-SentinelA8.${'a1B2c3D4'.repeat(40)}.end-SentinelA9`;

/** One in each field; the server sets the session at the login, and two more in mid-load. */
export const sentinels = [
  ...['header-SentinelA1', 'cookie-SentinelA2', 'state-SentinelA3', 'local-SentinelA4', 'tab-SentinelA5'],
  ...['typed-SentinelA6', 'secret-SentinelA7', password, 'session-Sentinel06', 'literal-SentinelB1'],
  ...[longToken.slice(0, 40), longToken.slice(-24), rotated, JSON.parse(renewed).access],
];

/** Returns an access with a sentinel in each field. */
export const toSentinels = (site: PrivateSite) => ({
  headers: { 'X-Staging': 'header-SentinelA1' },
  cookies: [{ name: 'one', value: 'cookie-SentinelA2' }],
  state: {
    cookies: [
      {
        name: 'two',
        value: 'state-SentinelA3',
        domain: '127.0.0.1',
        path: '/',
        expires: -1,
        httpOnly: true,
        secure: false,
        sameSite: 'Lax',
      },
    ],
    origins: [
      {
        origin: site.url,
        localStorage: [
          { name: 'token', value: '{"token":"local-SentinelA4"}' },
          { name: 'long', value: longToken },
          // Real states have many items, words among them, and some are large.
          { name: 'mode', value: 'performance' },
          { name: 'large', value: 'large '.repeat(20_000) },
          ...Array.from({ length: 490 }, (_, at) => ({ name: `item-${at}`, value: `stored value number ${at}` })),
        ],
      },
    ],
  },
  session_storage: { [site.url]: { tab: 'tab-SentinelA5' } },
  basic_auth: { username: user, password: 'typed-SentinelA6' },
  secrets: { PASSWORD: password, OTHER: 'secret-SentinelA7' },
  login: {
    timeout: 30_000,
    steps: [
      { type: 'navigate', url: `${site.url}/login` },
      { type: 'change', selectors: [['input[name=name]']], value: 'literal-SentinelB1' },
      { type: 'change', selectors: [['input[name=name]']], value: user },
      { type: 'change', selectors: [['input[type=password]']], value: `\${PASSWORD}` },
      { type: 'click', selectors: [['button']], assertedEvents: [{ type: 'navigation' }] },
    ],
  },
});

export const findIn = (bytes: Buffer | string): string[] => sentinels.filter(sentinel => bytes.includes(sentinel));
