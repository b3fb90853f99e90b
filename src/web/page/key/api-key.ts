import { isSendableKey } from '../../../api-client/ask-service.ts';

/** The key of the service, where it requires one: kept in this tab until it is closed, sent in a header, never shown. */
const name = 'rangelight-api-key';

/** Some browsers forbid the storage; then the key lasts as long as the page. */
let remembered: string | undefined;

const readKept = (): string | undefined => {
  try {
    return sessionStorage.getItem(name) ?? remembered;
  } catch {
    return remembered;
  }
};

/** A key that no header can carry is dropped: with it no request could be made, nor another key entered. */
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
