/** Reads the two streams of the service: `text/event-stream` and `application/x-ndjson`. */

/** Reads `text/event-stream` as the HTML standard defines it, without reconnection. */

export type ServerEvent = { readonly name: string; readonly data: string };

/** @returns a function that accepts text in arbitrary pieces, and calls `onEvent` for each complete event */
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
    // A line without a colon is a field without a value; a line that starts with a colon is a comment.
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') name = value;
    if (field === 'data') data.push(value);
  };

  return text => {
    // CR and LF of one line end may arrive in different chunks.
    const arrived = endedInReturn && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') endedInReturn = text.endsWith('\r');
    const lines = `${rest}${arrived}`.split(/\r\n|\r|\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) readLine(line);
  };
}

type LineReader = {
  feed(text: string): void;
  /** Reads a last line without a line break. */
  end(): void;
};

/**
 * Reads `application/x-ndjson`: one JSON value per line.
 * @param onValue called for each line in turn; `feed` and `end` throw its errors and those of JSON.parse
 */
export function createJsonLineReader(onValue: (value: unknown) => void): LineReader {
  let rest = '';
  const readLine = (line: string): void => {
    if (line.trim() !== '') onValue(JSON.parse(line));
  };
  return {
    feed(text) {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) readLine(line);
    },
    end() {
      readLine(rest);
      rest = '';
    },
  };
}
