/** Reads `Accept` and `Accept-Encoding` (RFC 9110, 12.5). Malformed elements are skipped. */

type Quality = { readonly range: string; readonly value: number };

const JSON_RANGES = [['application/json', 'application/problem+json'], ['application/*'], ['*/*']] as const;
const HTML_RANGES = [['text/html'], ['text/*'], ['*/*']] as const;

/** Returns whether the client prefers JSON to HTML. HTML wins a tie, and if the header mentions neither. */
export function prefersJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const qualities = readQualities(accept);
  return qualityOf(qualities, JSON_RANGES) > qualityOf(qualities, HTML_RANGES);
}

/** Returns whether HTML is listed and preferred to JSON, as in a browser's request for a page. */
export const namesHtml = (accept: string | undefined): boolean =>
  accept !== undefined &&
  qualityOf(readQualities(accept), [['text/html']]) > qualityOf(readQualities(accept), [JSON_RANGES[0]]);

/** Returns whether this form of the response is preferred: it must be listed, and it wins a tie with JSON. */
export function prefers(form: 'application/x-ndjson' | 'text/event-stream', accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const qualities = readQualities(accept);
  const wanted = qualityOf(qualities, [[form]]);
  return wanted > 0 && wanted >= qualityOf(qualities, [['application/json']]);
}

/**
 * Returns whether a content coding is accepted. A coding that only `*` covers is not: few clients accept all codings.
 */
export const acceptsCoding = (acceptEncoding: string | undefined, coding: string): boolean =>
  acceptEncoding !== undefined && qualityOf(readQualities(acceptEncoding), [[coding]]) > 0;

// The most specific listed range decides, even if its quality is 0.
function qualityOf(qualities: readonly Quality[], ranges: readonly (readonly string[])[]): number {
  for (const names of ranges) {
    const values = qualities.filter(({ range }) => names.includes(range)).map(({ value }) => value);
    if (values.length > 0) return Math.max(...values);
  }
  return 0;
}

function readQualities(header: string): Quality[] {
  // Quoted parameters may contain commas and semicolons; their values are irrelevant here.
  const unquoted = header.toLowerCase().replace(/"(?:\\.|[^"\\])*"?/g, '"');
  return unquoted.split(',').flatMap(element => {
    const [range = '', ...parameters] = element.split(';').map(part => part.trim());
    const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2) ?? '1';
    return /^(?:0(?:\.\d*)?|1(?:\.0*)?)$/.test(weight) ? [{ range, value: Number(weight) }] : [];
  });
}
