const MAX_SHOWN_CHARACTERS = 80;

// `https//example.com`, `htps;//example.com` and `//example.com`: what stands where the scheme should be.
const SCHEME_LEFTOVER = /^(?:https?[,.;]?[/\\]+|(?!localhost)[a-z]+[,.;]?\/\/(?=[^/?#]*\.)|[/\\]{2,})/i;

// Only a host and a port may stand before the path. An `@` does not match, so the advice never repeats a password in
// front of a host.
const STARTS_WITH_HOST = /^(?:[\p{L}\p{N}_][\p{L}\p{N}._-]*|\[[\da-f:.]+\])(?::\d{1,5})?(?=[/?#]|$)/iu;

// Hosts that rarely have a certificate: `https://localhost:3000` would be wrong advice.
const PLAIN_HTTP_HOST = /^(?:(?:[^/?#]*\.)?localhost\.?|[\d.]+|\[[^/?#]*\])(?=[:/?#]|$)/i;

// The WHATWG parser reads `localhost:3000` as the scheme `localhost`; a person means a host and its port.
const HOST_AND_PORT = /^([a-z\d.-]+):\d{1,5}(?=[/?#]|$)/i;
const NUMBER_SCHEMES: ReadonlySet<string> = new Set(['http', 'https', 'tel', 'sms', 'callto', 'javascript', 'data']);

/** Whether `text` looks like `localhost:3000` or `example.com:8080/x`, which only a parser takes for a scheme. */
export function isHostAndPort(text: string): boolean {
  const host = HOST_AND_PORT.exec(text)?.[1];
  return host !== undefined && !NUMBER_SCHEMES.has(host.toLowerCase());
}

/** What a person who left the scheme out reads: pydantic's words, then the input as it should be written. */
export function missingSchemeReason(text: string): string {
  const rest = text.replace(SCHEME_LEFTOVER, '');
  const target = STARTS_WITH_HOST.test(rest) && !text.includes('@') ? rest : 'example.com';
  const scheme = PLAIN_HTTP_HOST.test(target) ? 'http' : 'https';
  return `relative URL without a base: write '${cut(`${scheme}://${target}`)}' with its scheme`;
}

function cut(text: string): string {
  const characters = [...text];
  if (characters.length <= MAX_SHOWN_CHARACTERS) return text;
  return `${characters.slice(0, MAX_SHOWN_CHARACTERS - 1).join('')}…`;
}
