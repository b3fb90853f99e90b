/** Checks an access before anything is stored, resolved or started. No message repeats a value. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { Errors } from 'typebox/value';
import {
  Access,
  type AccessCookie,
  accessBounds,
  placeholdersOf,
  profileName,
  type Step,
  stepTypes,
} from '../../contract/access/access.ts';

export type AccessFault = { readonly path: readonly (string | number)[]; readonly fault: string };

/** Headers that the browser or the connection sets itself, and those for which there is a field. */
const forbiddenHeaders: ReadonlySet<string> = new Set([
  ...['host', 'content-length', 'content-type', 'transfer-encoding', 'connection', 'keep-alive', 'upgrade', 'te'],
  ...['trailer', 'expect', 'cookie', 'proxy-authorization', 'proxy-connection', 'accept-encoding', 'origin', 'via'],
  ...['cache-control', 'pragma', 'if-none-match', 'if-modified-since', 'range', 'user-agent', 'referer'],
]);

const readOrigin = (text: string): string | undefined => {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  return url.pathname === '/' && url.search === '' && url.hash === '' ? url.origin : undefined;
};

/** Returns whether cookies of a domain reach a host: its own, or a parent domain with at least two labels. */
const reaches = (domain: string, host: string): boolean => {
  const name = domain.toLowerCase().replace(/^\./, '');
  return name === host || (name.includes('.') && host.endsWith(`.${name}`));
};

const toPath = (pointer: string): (string | number)[] =>
  pointer
    .split('/')
    .slice(1)
    .map(part => (/^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~')));

const isOneLine = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text);

function* checkHeaders(headers: Readonly<Record<string, string>>): Generator<AccessFault> {
  for (const [name, value] of Object.entries(headers)) {
    const path = ['headers', name];
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) yield { path: ['headers'], fault: 'a header has an invalid name' };
    else if (forbiddenHeaders.has(name.toLowerCase()) || /^(sec|proxy)-/i.test(name))
      yield { path, fault: name.toLowerCase() === 'cookie' ? 'use `cookies`' : 'the browser sets this header itself' };
    if (!isOneLine(value)) yield { path, fault: 'a header must be one line of Latin-1 text' };
  }
}

function* checkCookies(
  cookies: readonly AccessCookie[],
  path: readonly string[],
  hosts: readonly string[] | undefined,
): Generator<AccessFault> {
  for (const [index, { name, value, domain, sameSite, secure }] of cookies.entries()) {
    const at = [...path, index];
    if (/[\p{Cc}=;\s]/u.test(name)) yield { path: [...at, 'name'], fault: 'a cookie has an invalid name' };
    if (/[\p{Cc};]/u.test(value)) yield { path: [...at, 'value'], fault: 'a cookie has an invalid value' };
    if (domain !== undefined && hosts && !hosts.some(host => reaches(domain, host)))
      yield { path: [...at, 'domain'], fault: 'the cookie reaches neither the page nor one of `origins`' };
    if (sameSite === 'None' && secure === false)
      yield { path: [...at, 'secure'], fault: 'the browser refuses `SameSite=None` without `secure`' };
  }
}

/** Fields that a step of each type requires. */
const required = new Map<string, readonly (keyof Step)[]>(
  Object.entries({
    setViewport: ['width', 'height'],
    navigate: ['url'],
    click: ['selectors'],
    doubleClick: ['selectors'],
    hover: ['selectors'],
    change: ['selectors', 'value'],
    keyDown: ['key'],
    keyUp: ['key'],
    waitForElement: ['selectors'],
  }),
);

const typeFault = (type: string): string | undefined => {
  if (type === 'customStep' || type === 'waitForExpression')
    return `\`${type}\` is refused, because it runs code of the caller`;
  return (stepTypes as readonly string[]).includes(type) ? undefined : `a step must be one of ${stepTypes.join(', ')}`;
};

const isWebUrl = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '');

function findStepFaults(step: Step, secrets: Readonly<Record<string, string>>): (readonly [string, string])[] {
  const { type, url, selectors, value = '' } = step;
  const ofType = typeFault(type);
  const absent = (required.get(type) ?? []).filter(field => step[field] === undefined);
  const missing = placeholdersOf(value).filter(name => !Object.hasOwn(secrets, name));
  return [
    ...(ofType === undefined ? [] : [['type', ofType] as const]),
    ...absent.map(field => [field, `\`${type}\` requires it`] as const),
    ...(type === 'navigate' && url !== undefined && !isWebUrl(url)
      ? [['url', 'it must be an http or https URL'] as const]
      : []),
    ...(selectors?.length === 0 ? [['selectors', 'it must have a selector'] as const] : []),
    ...missing.map(name => ['value', `\`secrets\` lacks ${name}`] as const),
  ];
}

const findStepsFaults = (steps: readonly Step[], secrets: Readonly<Record<string, string>>): AccessFault[] =>
  steps.flatMap((step, index) =>
    findStepFaults(step, secrets).map(([field, fault]) => ({ path: ['login', 'steps', index, field], fault })),
  );

/** Refuses the keys of a shape that the schema cannot bound. */
function* checkOrigins(access: Access): Generator<AccessFault> {
  const lists = {
    origins: (access.origins ?? []).map((text, at) => [text, ['origins', at]] as const),
    state: (access.state?.origins ?? []).map(({ origin }, at) => [origin, ['state', 'origins', at, 'origin']] as const),
    session: Object.keys(access.session_storage ?? {}).map(text => [text, ['session_storage']] as const),
  };
  for (const [text, path] of Object.values(lists).flat())
    if (!readOrigin(text)) yield { path, fault: 'an origin is a scheme, a host and a port: https://shop.example' };
}

function toSchemaFault({ instancePath, keyword, params, message }: ReturnType<typeof Errors>[number]): AccessFault {
  const path = toPath(instancePath);
  if (keyword === 'boolean') return { path, fault: 'there is no such field' };
  return { path, fault: keyword === 'enum' ? `it must be one of ${params.allowedValues.join(', ')}` : message };
}

/**
 * Finds every fault of an access.
 * @param pageUrls URLs of the pages to measure; none if they are not known yet, as in a stored profile
 * @returns none if the value is an `Access`, or a name that a stored one may have
 */
export function findAccessFaults(value: unknown, pageUrls: readonly string[]): AccessFault[] {
  if (typeof value === 'string' && profileName.test(value)) return [];
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [{ path: [], fault: 'it must be an object, or the name of a stored access' }];
  if (Buffer.byteLength(JSON.stringify(value)) > accessBounds.bytes)
    return [{ path: [], fault: `it has more than ${accessBounds.bytes / 1024} KB` }];
  // A field that does not exist is two errors: its own, and one of its object.
  const errors = Errors(Access, value).filter(({ keyword }) => keyword !== 'additionalProperties');
  if (errors.length > 0) return errors.slice(0, 20).map(toSchemaFault);
  return findMeaningFaults(value as Access, pageUrls).slice(0, 20);
}

function certificateFault(pair: NonNullable<Access['client_certificate']>): string | undefined {
  try {
    createSecureContext(pair);
    if (new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(pair.key))) return undefined;
  } catch {
    // It is no certificate, or no key.
  }
  return 'it must be a certificate and its own key, both in PEM form and without a passphrase';
}

/** A state of Playwright also has cookies of third parties, which stay bound to their own hosts. */
const hostsOfState = ({ state }: Access): string[] =>
  (state?.cookies ?? []).flatMap(({ domain }) => domain?.replace(/^\./, '').toLowerCase() ?? []);

function findMeaningFaults(access: Access, pageUrls: readonly string[]): AccessFault[] {
  const { headers = {}, cookies = [], origins = [], state, login, secrets = {}, basic_auth: basic } = access;
  const pairFault = access.client_certificate && certificateFault(access.client_certificate);
  const hosts = [...pageUrls, ...origins].flatMap(text => URL.parse(text)?.hostname ?? []);
  // The pages of a stored access are not known yet: the browser binds its cookies to their hosts.
  const isKnown = pageUrls.length > 0;
  return [
    ...checkOrigins(access),
    ...checkHeaders(headers),
    ...checkCookies(cookies, ['cookies'], isKnown ? hosts : undefined),
    ...checkCookies(
      state?.cookies ?? [],
      ['state', 'cookies'],
      isKnown ? [...hosts, ...hostsOfState(access)] : undefined,
    ),
    ...findStepsFaults(login?.steps ?? [], secrets),
    ...(pairFault ? [{ path: ['client_certificate'], fault: pairFault }] : []),
    ...(basic?.username.includes(':') ? [{ path: ['basic_auth', 'username'], fault: 'a user name has no colon' }] : []),
    ...(basic && Object.keys(headers).some(name => name.toLowerCase() === 'authorization')
      ? [{ path: ['basic_auth'], fault: 'the header `Authorization` is given, too' }]
      : []),
  ];
}
