/** The service's own key, where it wants one: kept for this tab until it is closed, sent in a header, and shown nowhere. */
const name = 'rangelight-api-key';

/** A browser may forbid the storage altogether; then the key lasts as long as the page. */
let remembered: string | undefined;

export const readApiKey = (): string | undefined => {
  try {
    return sessionStorage.getItem(name) ?? remembered;
  } catch {
    return remembered;
  }
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
