import { isSendableKey } from '../api-key.ts';

/** The service's own key, where it wants one: kept for this tab until it is closed, sent in a header, and shown nowhere. */
const name = 'rangelight-api-key';

/** A browser may forbid the storage altogether; then the key lasts as long as the page. */
let remembered: string | undefined;

const readKept = (): string | undefined => {
  try {
    return sessionStorage.getItem(name) ?? remembered;
  } catch {
    return remembered;
  }
};

/** One that no header can carry, however it came there, is dropped: with it nothing could be asked, nor another key entered. */
export const readApiKey = (): string | undefined => {
  const key = readKept();
  if (key === undefined || isSendableKey(key)) return key;
  keepApiKey(undefined);
  return undefined;
};

export function keepApiKey(key: string | undefined): void {
  remembered = key;
  try {
    if (key === undefined) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, key);
  } catch {
    // Remembered above.
  }
}
