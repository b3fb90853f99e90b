/** What `Accept` and `Accept-Encoding` ask for (RFC 9110, 12.5). A malformed element is skipped. */

type Quality = { readonly range: string; readonly value: number };

const JSON_RANGES = [['application/json', 'application/problem+json'], ['application/*'], ['*/*']] as const;
const HTML_RANGES = [['text/html'], ['text/*'], ['*/*']] as const;

/** HTML wins a tie, and when the header says nothing of either. */
export function prefersJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const qualities = readQualities(accept);
  return qualityOf(qualities, JSON_RANGES) > qualityOf(qualities, HTML_RANGES);
}

/** Whether HTML is named and wanted more than JSON, as a browser does for a page. */
export const namesHtml = (accept: string | undefined): boolean =>
  accept !== undefined &&
  qualityOf(readQualities(accept), [['text/html']]) > qualityOf(readQualities(accept), [JSON_RANGES[0]]);

/** Whether this form of the answer is wanted: only a client that names it gets it, and JSON that is named wins no tie. */
export function prefers(form: 'application/x-ndjson' | 'text/event-stream', accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const qualities = readQualities(accept);
  const wanted = qualityOf(qualities, [[form]]);
  return wanted > 0 && wanted >= qualityOf(qualities, [['application/json']]);
}

/** Whether a content coding may be sent. One that is only covered by `*` is not: hardly a client means all of them. */
export const acceptsCoding = (acceptEncoding: string | undefined, coding: string): boolean =>
  acceptEncoding !== undefined && qualityOf(readQualities(acceptEncoding), [[coding]]) > 0;

// The most specific range that is named decides, also when it says 0.
function qualityOf(qualities: readonly Quality[], ranges: readonly (readonly string[])[]): number {
  for (const names of ranges) {
    const values = qualities.filter(({ range }) => names.includes(range)).map(({ value }) => value);
    if (values.length > 0) return Math.max(...values);
  }
  return 0;
}

function readQualities(header: string): Quality[] {
  // Quoted parameters may hold commas and semicolons, and none of them matters here.
  const unquoted = header.toLowerCase().replace(/"(?:\\.|[^"\\])*"?/g, '"');
  return unquoted.split(',').flatMap(element => {
    const [range = '', ...parameters] = element.split(';').map(part => part.trim());
    const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2) ?? '1';
    return /^(?:0(?:\.\d*)?|1(?:\.0*)?)$/.test(weight) ? [{ range, value: Number(weight) }] : [];
  });
}
