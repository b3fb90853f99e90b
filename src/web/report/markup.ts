const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For text and for quoted attributes. */
export const escapeMarkup = (text: string): string =>
  text.toWellFormed().replace(/[&<>"']/g, character => entities[character] ?? '');

/**
 * JSON for a `<script type="application/json">`: without a `<` nothing in it ends the element or begins a comment. The
 * two separators are line breaks to some readers of scripts.
 */
export const toScriptJson = (value: unknown): string => JSON.stringify(value).replace(/[<\u2028\u2029]/g, toEscape);

const toEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
