/** Masks secrets of the environment in all output of a pipeline. */

const secretName = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH(?!ORS?(?:_|$))/i;
/** Min length of a masked value: shorter ones may be common words. */
const minSecret = 6;
/** Schemes of a header value, which is often printed without them. */
const authScheme = /^(?:basic|bearer|token)\s+/i;
const passwordInUrl = /[a-z][a-z\d+.-]*:\/\/[^\s/:@]*:([^\s/@]+)@/gi;

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Min length of a masked part of a path, as in the URL of a webhook. */
const minPart = 16;

/** Returns the secrets of a variable that is named like one. `NEXTAUTH_URL` is a site, whose pages the outputs name. */
function secretsOf(text: string): string[] {
  const url = /^https?:\S+$/i.test(text) ? URL.parse(text) : null;
  if (!url) return [text, text.replace(authScheme, '')];
  const fields = url.search.slice(1).split('&');
  const parts = url.pathname.split('/').filter(({ length }) => length >= minPart);
  return [url.username, url.password, ...parts, ...fields.map(field => field.slice(field.indexOf('=') + 1))];
}

/** Returns the secrets in a variable, by its name; a URL such as DATABASE_URL contains its password. */
const secretsIn = (name: string, value: string): string[] => [
  ...(secretName.test(name) ? secretsOf(value.trim()) : []),
  ...[...value.matchAll(passwordInUrl)].map(([, password = '']) => password),
];

/** Creates a function that masks each secret, both plain and URL-encoded. */
export function createMask(env: NodeJS.ProcessEnv): (text: string) => string {
  const found = Object.entries(env).flatMap(([name, value]) => (value ? secretsIn(name, value) : []));
  const spellings = new Set(found.flatMap(secret => [secret, decode(secret), encodeURIComponent(secret)]));
  const secrets = [...spellings].filter(({ length }) => length >= minSecret).toSorted((a, b) => b.length - a.length);
  return text => secrets.reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
}

/** Masks every text in plain data, before an output format escapes some characters. */
export function maskTexts<T>(value: T, mask: (text: string) => string): T;
export function maskTexts(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map(entry => maskTexts(entry, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, maskTexts(entry, mask)]));
}
