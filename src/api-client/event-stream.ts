/** Reads `text/event-stream` as in the HTML standard, as far as a request that never reconnects needs it. */

export type ServerEvent = { readonly name: string; readonly data: string };

/** @returns a function to feed with text as it arrives, cut anywhere; it calls `onEvent` for each whole event */
export function createEventReader(onEvent: (event: ServerEvent) => void): (text: string) => void {
  let rest = '';
  let endedInReturn = false;
  let name = '';
  let data: string[] = [];

  const readLine = (line: string): void => {
    if (line === '') {
      if (data.length > 0) onEvent({ name: name || 'message', data: data.join('\n') });
      name = '';
      data = [];
      return;
    }
    // A line without a colon is a field without a value; one that begins with it is a comment.
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') name = value;
    if (field === 'data') data.push(value);
  };

  return text => {
    // The two characters of a line's end may arrive apart.
    const arrived = endedInReturn && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') endedInReturn = text.endsWith('\r');
    const lines = `${rest}${arrived}`.split(/\r\n|\r|\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) readLine(line);
  };
}
