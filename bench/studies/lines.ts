/** Measurements of a long study, one JSON object on each line, so that an interrupted study can continue. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

export type Lines<T> = { readonly all: readonly T[]; add(line: T): void };

/** @param file of an earlier run of the same study, or a new file */
export function openLines<T>(file: string): Lines<T> {
  // The last line may be incomplete if the study was killed, so it is dropped.
  const whole = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  const all = whole.map(line => JSON.parse(line) as T);
  return {
    all,
    add(line) {
      all.push(line);
      appendFileSync(file, `${JSON.stringify(line)}\n`);
    },
  };
}
