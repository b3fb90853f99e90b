const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text and quoted attributes. */
export const escapeMarkup = (text: string): string =>
  text.toWellFormed().replace(/[&<>"']/g, character => entities[character] ?? '');

/**
 * Returns JSON for a `<script type="application/json">`: without `<`, nothing in it can end the element or start a
 * comment. Some script parsers treat the two separators as line breaks.
 */
export const toScriptJson = (value: unknown): string => JSON.stringify(value).replace(/[<\u2028\u2029]/g, toEscape);

const toEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
