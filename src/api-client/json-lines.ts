/** Reads `application/x-ndjson`: a JSON value a line. */

export type LineReader = {
  feed(text: string): void;
  /** Reads a last line without a line break. */
  end(): void;
};

/** @param onValue called for each line in turn; `feed` throws what it or JSON.parse throws */
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
