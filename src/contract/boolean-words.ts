const truths = new Set(['1', 't', 'y', 'on', 'yes', 'true']);
const falsehoods = new Set(['0', 'f', 'n', 'off', 'no', 'false']);

/** A boolean in words, in any case, as pydantic reads it; undefined for any other text. Settings and requests share it. */
export function readBooleanWord(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (truths.has(word)) return true;
  return falsehoods.has(word) ? false : undefined;
}
