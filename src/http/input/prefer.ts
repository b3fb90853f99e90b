/**
 * Whether `Prefer` asks for an answer before the work is done (RFC 7240): the client then follows the job. Other
 * preferences, and parameters of this one, change nothing.
 */
export function prefersAsync(prefer: string | string[] | undefined): boolean {
  const unquoted = [prefer ?? []]
    .flat()
    .join(',')
    .replace(/"(?:\\.|[^"\\])*"?/g, '""');
  return unquoted.split(',').some(preference => preference.split(';')[0]?.trim().toLowerCase() === 'respond-async');
}
