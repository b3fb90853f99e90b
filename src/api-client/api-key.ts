/**
 * Checks the characters of an API key. A test compares the rule with that of the service in `settings/readers.ts`.
 */

/**
 * White space and invisible characters that are often copied with a key: zero-width marks, direction marks, controls.
 */
const unseenAround = /^[\s\p{C}]+|[\s\p{C}]+$/gu;

/** Returns the key without invisible characters around it. */
export const trimKey = (text: string): string => text.replace(unseenAround, '');

/** Returns whether an HTTP header can contain the key: visible ASCII only. `fetch` throws on anything else. */
export const isSendableKey = (text: string): boolean => /^[!-~]+$/.test(text);
