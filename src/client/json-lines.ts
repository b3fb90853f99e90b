/** Reads `application/x-ndjson`: a JSON value a line. */

export type LineReader = {
  feed(text: string): void;
  /** Reads a last line that has no end. */
  end(): void;
};

/** @param onValue called for each line in turn; what it or JSON.parse throws goes to who feeds */
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
