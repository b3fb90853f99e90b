type Quality = { readonly range: string; readonly value: number };

const JSON_RANGES = [['application/json', 'application/problem+json'], ['application/*'], ['*/*']] as const;
const HTML_RANGES = [['text/html'], ['text/*'], ['*/*']] as const;

/** RFC 9110, 12.5.1. HTML wins a tie, and when the header says nothing of either. A malformed element is skipped. */
export function prefersJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const qualities = parseAccept(accept);
  return qualityOf(qualities, JSON_RANGES) > qualityOf(qualities, HTML_RANGES);
}

/** Whether this form of the answer is wanted: only who names it gets it, and JSON that is named wins no tie. */
export function prefers(form: 'application/x-ndjson' | 'text/event-stream', accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const qualities = parseAccept(accept);
  const wanted = qualityOf(qualities, [[form]]);
  return wanted > 0 && wanted >= qualityOf(qualities, [['application/json']]);
}

// The most specific range that is named decides, also when it says 0.
function qualityOf(qualities: readonly Quality[], ranges: readonly (readonly string[])[]): number {
  for (const names of ranges) {
    const values = qualities.filter(({ range }) => names.includes(range)).map(({ value }) => value);
    if (values.length > 0) return Math.max(...values);
  }
  return 0;
}

function parseAccept(accept: string): Quality[] {
  // Quoted parameters may hold commas and semicolons, and none of them matters here.
  const unquoted = accept.toLowerCase().replace(/"(?:\\.|[^"\\])*"?/g, '"');
  return unquoted.split(',').flatMap(element => {
    const [range = '', ...parameters] = element.split(';').map(part => part.trim());
    const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2) ?? '1';
    return /^(?:0(?:\.\d*)?|1(?:\.0*)?)$/.test(weight) ? [{ range, value: Number(weight) }] : [];
  });
}
