import { readFileSync } from 'node:fs';

/** Of the page's style sheet what its results need, in its order. */
const parts = ['ground', 'form', 'progress', 'result', 'findings', 'closer', 'audits', 'compare'];

/** A file begins with its result, and may be printed. */
const own = `
.top { width: 100%; }
h1 { margin-block-start: 0; font-size: 1.25rem; }
@media print {
  .sheet { padding-inline: 0; border: 0; }
}
`;

/** The style of a report that is drawn with the page's views. Ends no element: it holds no `<`. */
export const reportStyle: string = [
  ...parts.map(name => readFileSync(new URL(`../style/${name}.css`, import.meta.url), 'utf8')),
  own,
].join('\n');
