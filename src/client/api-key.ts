/** What can be a key of the service. What the service takes for one is in `setting-readers.ts`; a test holds both together. */

/** White space, and what is copied along with a text and not seen: zero-width marks, signs of direction, controls. */
const unseenAround = /^[\s\p{C}]+|[\s\p{C}]+$/gu;

/** A key as it was meant, without what is not seen before and behind it. */
export const trimKey = (text: string): string => text.replace(unseenAround, '');

/** Whether a header can carry it: visible ASCII characters and nothing else. Of anything else `fetch` makes no request at all. */
export const isSendableKey = (text: string): boolean => /^[!-~]+$/.test(text);
