import { readFileSync } from 'node:fs';
import { html } from 'lit-html';
import { escapeMarkup } from './markup.ts';
import { toHtml } from './template-html.ts';

export const readStyle = (name: string): string =>
  readFileSync(new URL(`../style/${name}.css`, import.meta.url), 'utf8');

/** Parts of the page's style sheet that results need, in order. */
const parts = ['base', 'form', 'progress', 'result', 'findings', 'load-details', 'audits', 'compare'];

/** Additional style for files, which start with the result and may be printed. */
const own = `
.top { width: 100%; }
h1 { margin-block-start: 0; font-size: 1.25rem; }
@media print {
  .sheet { padding-inline: 0; border: 0; }
}
`;

/** Style of a report that the page's views draw. It contains no `<`, so it cannot end its element. */
export const reportStyle: string = [...parts.map(readStyle), own].join('\n');

/** Brand of the page: two range lights. */
const brand = html`<header class="top">
  <span class="brand"><svg viewBox="0 0 28 28" width="28" height="28" aria-hidden="true"><path class="posts" d="M19 12v13M8 20v5M3 26h22"/><circle class="remote" cx="19" cy="7" r="4.5"/><circle class="local" cx="8" cy="15" r="4.5"/></svg>Rangelight</span>
</header>`;

export type OwnPage = {
  readonly title: string;
  /** HTML of the content. */
  readonly body: string;
  readonly policy: string;
  /** Style in addition to the page's own. */
  readonly style?: string;
  /** HTML after the content. */
  readonly end?: string;
};

/** Renders an HTML file in the style of the page. */
export const toOwnPage = ({ title, body, policy, style = '', end = '' }: OwnPage): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${escapeMarkup(title)} · Rangelight</title>
<link rel="icon" href="data:,">
<style>${reportStyle}${style}</style>
</head>
<body>
${toHtml(brand)}
${body}
${end}
</body>
</html>
`;
