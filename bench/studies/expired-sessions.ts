/**
 * Measures private pages whose session has ended: before the load, during the login, between login and load, or between
 * two runs. A page that has a score although its session had ended is a login page that was scored.
 */
import type { Access } from '../../src/contract/access/access.ts';
import { type PrivateSite, privateSite, startPrivateSite } from '../../test/support/sites/private-site.ts';
import { type Running, startServiceProcess } from '../processes.ts';
import type { Lines } from './lines.ts';

const { user, password, token, sessionItem } = privateSite;

/** Pages that ask for a session on their server, by what they do without one. */
const pages = {
  '/account': 'redirects to the login',
  '/same': 'shows the login with status 200',
  '/with-idp': 'redirects to an identity provider',
  '/refuses': 'answers 403',
  '/unauthorized': 'answers 401',
  '/app': 'asks for its session after the first paint, and leads to the login',
  '/outline': 'shows its outline, asks for its session, and shows the login at the same URL',
} as const;
type Path = keyof typeof pages;

/** Pages whose session is only in the browser. */
const ownPages = {
  '/silent': 'logs out silently in mid-load',
  '/token': 'has an expired token in localStorage, and shows the login with status 200',
  '/tab': 'requires sessionStorage, which its state lacks',
} as const;

const moments = ['never', 'before', 'during the login', 'between login and load', 'between runs'] as const;
type Moment = (typeof moments)[number];

export type ExpiredTry = {
  moment: Moment;
  page: string;
  expect: keyof NonNullable<Access['expect']>;
  /** `scored`, or the code of the failure. If the session ended between two runs, the first one was of the account. */
  outcome: string;
};

const toLogin = ({ url }: PrivateSite): Access => ({
  secrets: { PASSWORD: password },
  login: {
    timeout: 30_000,
    steps: [
      { type: 'navigate', url: `${url}/login` },
      { type: 'change', selectors: ['input[name=name]'], value: user },
      { type: 'change', selectors: ['input[type=password]'], value: `\${PASSWORD}` },
      { type: 'click', selectors: ['button'], assertedEvents: [{ type: 'navigation' }] },
    ],
  },
});

const withCookie = (value: string): Access => ({ cookies: [{ name: 'sid', value }] });

type Try = Pick<ExpiredTry, 'moment' | 'page'> & { runs?: number; prepare: (site: PrivateSite) => Access };

const serverTries = (Object.keys(pages) as Path[]).flatMap((page): Try[] => [
  { moment: 'never', page, prepare: toLogin },
  { moment: 'before', page, prepare: () => withCookie('ended') },
  {
    moment: 'during the login',
    page,
    prepare(site) {
      site.limit({ path: '/hop' });
      return toLogin(site);
    },
  },
  {
    moment: 'between login and load',
    page,
    prepare(site) {
      // The login ends on the page of the account.
      site.limit({ pages: 1 });
      return toLogin(site);
    },
  },
  {
    moment: 'between runs',
    page,
    runs: 2,
    prepare(site) {
      site.limit({ pages: 1 });
      return withCookie(site.open());
    },
  },
]);

const toState = ({ url }: PrivateSite, value: string): Access => ({
  state: { origins: [{ origin: url, localStorage: [{ name: 'token', value }] }] },
});

const ownTries: Try[] = [
  { moment: 'before', page: '/silent', prepare: site => withCookie(site.open()) },
  { moment: 'before', page: '/silent', prepare: toLogin },
  { moment: 'before', page: '/token', prepare: site => toState(site, 'an-expired-token') },
  { moment: 'never', page: '/token', prepare: site => toState(site, token) },
  { moment: 'before', page: '/tab', prepare: site => toState(site, token) },
  { moment: 'before', page: '/tab', prepare: toLogin },
  { moment: 'never', page: '/tab', prepare: site => ({ session_storage: { [site.url]: { tab: sessionItem } } }) },
];

const expectations = [{ selector: '#account' }, { text: 'Your account' }] as const;

async function carryOut(service: Running, site: PrivateSite, { page, moment, runs = 1, prepare }: Try, at: number) {
  site.expire();
  site.limit({});
  const expect = expectations[at % expectations.length] ?? expectations[0];
  const access = { ...prepare(site), expect };
  const response = await fetch(`${service.url}/lighthouse`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: `${site.url}${page}`, categories: ['performance'], runs, access }),
  });
  const text = await response.text();
  // A request that is refused was not measured.
  if (response.status === 422) throw new Error(text);
  const { code, runs: done } = JSON.parse(text) as { code?: string; runs?: { completed: number } };
  const isFirst = moment === 'between runs' && done?.completed === 1;
  const outcome = response.status === 200 ? (isFirst ? 'first run scored' : 'scored') : (code ?? `${response.status}`);
  return { moment, page, expect: Object.keys(expect)[0] as ExpiredTry['expect'], outcome };
}

const isEnded = ({ moment }: Pick<ExpiredTry, 'moment'>) => moment !== 'never';

/** @param count of tries with a session that has ended; those with a valid one are made once */
export async function tryExpired(count: number, lines: Lines<ExpiredTry>): Promise<void> {
  const tries = [...serverTries, ...ownTries];
  const left = [
    ...tries.filter(one => !isEnded(one)).slice(lines.all.filter(one => !isEnded(one)).length),
    ...Array.from({ length: count }, (_, at) => tries.filter(isEnded)[at % tries.filter(isEnded).length]).slice(
      lines.all.filter(isEnded).length,
    ),
  ];
  const hooks: (() => Promise<void> | void)[] = [];
  const service = await startServiceProcess({ TARGETS: 'any', LIGHTHOUSE_REPEATS: '0' });
  try {
    const goOn = async () => {
      const site = await startPrivateSite({ after: hook => void hooks.push(hook) });
      for (let next = left.shift(); next; next = left.shift()) {
        const done = await carryOut(service, site, next, left.length);
        lines.add(done);
        console.error(`  ${left.length} left: ${done.page}, ended ${done.moment}: ${done.outcome}`);
      }
    };
    await Promise.all([goOn(), goOn()]);
  } finally {
    await service.stop();
    for (const hook of hooks) await hook();
  }
}

export function toExpiredTable(all: readonly ExpiredTry[]): string {
  const known: Readonly<Record<string, string>> = { ...pages, ...ownPages };
  const cell = (page: string, moment: Moment) => {
    const outcomes = all.filter(one => one.page === page && one.moment === moment).map(({ outcome }) => outcome);
    const counts = [...new Set(outcomes)].map(one => `${outcomes.filter(other => other === one).length} ${one}`);
    return counts.join(', ') || '–';
  };
  const ended = all.filter(isEnded);
  return [
    `| page | ${moments.join(' | ')} |`,
    `|---|${moments.map(() => '---').join('|')}|`,
    ...Object.entries(known).map(
      ([page, does]) => `| ${does} | ${moments.map(moment => cell(page, moment)).join(' | ')} |`,
    ),
    '',
    `${ended.filter(({ outcome }) => outcome === 'scored').length} login pages with a score in ${ended.length} tries`,
  ].join('\n');
}
