import { isSendableKey } from '../../api-client/api-key.ts';

/**
 * API key of the service, if it requires one: stored in this tab until it is closed, sent in a header, never displayed.
 */
const name = 'rangelight-api-key';

/** Copy of the key, because some browsers forbid the storage; it then lasts as long as the page. */
let remembered: string | undefined;

const readKept = (): string | undefined => {
  try {
    return sessionStorage.getItem(name) ?? remembered;
  } catch {
    return remembered;
  }
};

/**
 * Returns the key. A key that no header can contain is dropped, because it would block all requests, even for entering
 * a different key.
 */
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
    // The key then remains in memory only.
  }
}
