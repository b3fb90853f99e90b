/** What can be a key of the service. What the service accepts is in `settings/readers.ts`; a test holds both together. */

/** White space and invisible characters that are copied along with a text: zero-width marks, direction marks, controls. */
const unseenAround = /^[\s\p{C}]+|[\s\p{C}]+$/gu;

/** A key without invisible characters around it. */
export const trimKey = (text: string): string => text.replace(unseenAround, '');

/** Whether a header can carry it: visible ASCII characters and nothing else. For anything else `fetch` throws. */
export const isSendableKey = (text: string): boolean => /^[!-~]+$/.test(text);
