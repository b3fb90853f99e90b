/** Hides the secrets of the environment in everything that a pipeline writes. */

const secretName = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH(?!ORS?(?:_|$))/i;
/** Shorter values would hide common words. */
const minSecret = 6;
/** A header value is often printed without its scheme. */
const authScheme = /^(?:basic|bearer|token)\s+/i;
const passwordInUrl = /[a-z][a-z\d+.-]*:\/\/[^\s/:@]*:([^\s/@]+)@/gi;

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A variable is secret by its name; a URL such as DATABASE_URL has its password in it. */
const secretsIn = (name: string, value: string): string[] => [
  ...(secretName.test(name) ? [value, value.trim(), value.trim().replace(authScheme, '')] : []),
  ...[...value.matchAll(passwordInUrl)].map(([, password = '']) => password),
];

/** Hides each secret as it is, and as a URL has it. */
export function createMask(env: NodeJS.ProcessEnv): (text: string) => string {
  const found = Object.entries(env).flatMap(([name, value]) => (value ? secretsIn(name, value) : []));
  const spellings = new Set(found.flatMap(secret => [secret, decode(secret), encodeURIComponent(secret)]));
  const secrets = [...spellings].filter(({ length }) => length >= minSecret).toSorted((a, b) => b.length - a.length);
  return text => secrets.reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
}

/** Masks every text of plain data, before a format escapes some of its letters. */
export function maskTexts<T>(value: T, mask: (text: string) => string): T;
export function maskTexts(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map(entry => maskTexts(entry, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, maskTexts(entry, mask)]));
}
