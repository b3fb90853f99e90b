/** Additions to the style of the reports. It contains no `<`, so it cannot end its element. */
export const indexStyle = `
.index th, .index td { padding: 0.5rem 0.75rem 0.5rem 0; border-block-end: 1px solid var(--line); vertical-align: top; }
.index tbody th { width: 42%; font-weight: 400; }
.index td > span:not(.cell-label) { display: block; white-space: nowrap; }
.indexed { display: grid; grid-template-columns: 5rem minmax(0, 1fr); gap: 0.25rem 0.75rem; align-items: start; }
.index th a { font-weight: 600; overflow-wrap: anywhere; }
.thumbnail { display: block; width: 5rem; height: auto; max-height: 6.5rem; border: 1px solid var(--line); border-radius: var(--radius); background: var(--sunk); object-fit: cover; object-position: top; }
div.thumbnail { height: 3.5rem; }
.index-facts { margin-block: 0.25rem 1.5rem; }
.index-sides { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; margin-block-end: 0.5rem; }
.not-measured { margin-block-start: 1.5rem; }
.not-measured ul { margin: 0.75rem 0 0; padding: 0; list-style: none; }
.not-measured li { padding-block: 0.75rem; border-block-start: 1px solid var(--line); overflow-wrap: anywhere; }
.not-measured strong { color: var(--poor-ink); }
.index thead button { padding: 0; border: 0; text-align: start; }
.index [aria-sort="ascending"] button::after { content: " \\2191"; }
.index [aria-sort="descending"] button::after { content: " \\2193"; }
@media (max-width: 900px) {
  .index, .index tbody { display: block; }
  .index thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .index[data-sortable] thead { position: static; display: block; width: auto; height: auto; clip-path: none; }
  .index[data-sortable] thead tr { display: flex; flex-wrap: wrap; gap: 0 1.5rem; }
  .index[data-sortable] thead th { padding: 0; border: 0; }
  .index tbody tr { display: grid; grid-template-columns: repeat(auto-fill, minmax(5.6rem, 1fr)); gap: 0.5rem 0.75rem; padding-block: 1rem; border-block-end: 1px solid var(--line); }
  .index tbody th, .index tbody td { width: auto; padding: 0; border: 0; }
  .index tbody th { grid-column: 1 / -1; }
  .index .cell-label { display: block; }
}
`;
