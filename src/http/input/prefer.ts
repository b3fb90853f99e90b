/**
 * Returns whether `Prefer` requests an asynchronous response (RFC 7240), so that the client follows a job. Other
 * preferences and parameters have no effect.
 */
export function prefersAsync(prefer: string | string[] | undefined): boolean {
  if (prefer === undefined) return false;
  const unquoted = [prefer]
    .flat()
    .join(',')
    .replace(/"(?:\\.|[^"\\])*"?/g, '""');
  return unquoted.split(',').some(preference => preference.split(';')[0]?.trim().toLowerCase() === 'respond-async');
}
