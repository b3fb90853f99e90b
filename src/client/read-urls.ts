/** Reads what a person types or pastes as the addresses of pages. Whether they may be measured is the service's to say. */

const hasScheme = (text: string): boolean => /^[a-z][a-z\d+.-]*:\/\//i.test(text);

/**
 * `https//a.example`, `https;//a.example`, `htps//a.example`: a scheme that lost its colon, or more. Nobody can tell whether
 * the rest was meant, so it stays as it is, and whoever reads it says how to write it.
 */
const beginsLikeScheme = (text: string): boolean =>
  /^(?:https?[^a-z\d.:_?#-]|(?!localhost)[a-z]+[,.;]?\/\/[^/?#]*\.)/i.test(text);

/** What a number may follow without being a port: those `targets/missing-scheme.ts` knows too. */
const isNumberScheme = (text: string): boolean => /^(?:https?|tel|sms|callto|javascript|data):/i.test(text);

/** `localhost:3000` and `example.com:8080/x`, which a parser takes for a scheme; `mailto:someone` stays what it is. */
const isHostAndPort = (text: string): boolean => /^[^:/?#@]+:\d{1,5}(?:[/?#]|$)/.test(text) && !isNumberScheme(text);

const looksLikeHost = (text: string): boolean => !/^[^/?#]*:/.test(text) || text.startsWith('[') || isHostAndPort(text);

/** Hosts that seldom have a certificate: this machine, plain numbers, names without a dot or of a local network. */
const speaksPlainHttp = (host: string): boolean =>
  /^(?:\[.*\]|[\d.]+|[^.]+|.*\.(?:localhost|local|internal|test))$/i.test(host);

const hostOf = (text: string): string => /^\[[^\]]*\]|^[^:/?#]*/.exec(text)?.[0] ?? '';

/**
 * `example.com` → `https://example.com`, `localhost:3000` → `http://localhost:3000`; what has a scheme keeps it, also one that
 * is misspelt.
 */
export function withScheme(text: string): string {
  if (hasScheme(text) || beginsLikeScheme(text)) return text;
  const rest = text.replace(/^\/\//, '');
  if (!looksLikeHost(rest)) return text;
  return `${speaksPlainHttp(hostOf(rest)) ? 'http' : 'https'}://${rest}`;
}

/** The addresses in a text, one a line or with spaces between them; each once, in the order given. */
export const readUrls = (text: string): string[] => [
  ...new Set(
    text
      .split(/\s+/)
      .filter(word => word !== '')
      .map(withScheme),
  ),
];
