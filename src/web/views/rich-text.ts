import { html } from 'lit-html';
import { readMarkdown } from '../../presentation/markdown.ts';

/** Lighthouse's Markdown as elements: text, code, and links that send no referrer. */
export const richText = (markdown: string) =>
  readMarkdown(markdown).map(piece => {
    if (piece.kind === 'code') return html`<code>${piece.text}</code>`;
    if (piece.kind === 'link')
      return html`<a href=${piece.href} target="_blank" rel="noopener noreferrer">${piece.text}</a>`;
    return piece.text;
  });
