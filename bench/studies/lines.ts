/** What a long study has measured, a line of JSON each: after an interruption it goes on where it was. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

export type Lines<T> = { readonly all: readonly T[]; add(line: T): void };

/** @param file of an earlier run of the same study, or a new one */
export function openLines<T>(file: string): Lines<T> {
  // A line that was cut off when the study was killed is no line.
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
