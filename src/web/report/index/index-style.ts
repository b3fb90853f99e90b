/** Additions to the style of the reports. It contains no `<`, so it cannot end its element. */
export const indexStyle = `
.index { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
.index th, .index td { padding: 0.6rem 0.75rem 0.6rem 0; border-block-end: 1px solid var(--line); text-align: start; vertical-align: top; }
.index thead th { color: var(--quiet); font-size: 0.875rem; font-weight: 400; }
.index tbody th { width: 42%; font-weight: 400; }
.index td > span { display: block; white-space: nowrap; }
.index .value-label { display: none; }
.indexed { display: grid; grid-template-columns: 5rem minmax(0, 1fr); gap: 0.25rem 0.9rem; align-items: start; }
.index th a { font-weight: 600; overflow-wrap: anywhere; }
.thumbnail { display: block; width: 5rem; height: auto; max-height: 6.5rem; border: 1px solid var(--line); border-radius: 0.25rem; background: var(--sunk); object-fit: cover; object-position: top; }
div.thumbnail { height: 3.5rem; }
.index-facts { margin-block: 0.35rem 1.25rem; }
.index-sides { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin-block-end: 0.5rem; }
.not-measured { margin-block-start: 2rem; }
.not-measured ul { margin: 0.75rem 0 0; padding: 0; list-style: none; }
.not-measured li { padding-block: 0.75rem; border-block-start: 1px solid var(--line); overflow-wrap: anywhere; }
.not-measured strong { color: var(--poor-ink); }
.index thead button { min-height: 44px; padding: 0; border: 0; background: none; color: inherit; font: inherit; text-align: start; cursor: pointer; }
.index [aria-sort="ascending"] button::after { content: " \\2191"; }
.index [aria-sort="descending"] button::after { content: " \\2193"; }
@media (max-width: 900px) {
  .index, .index tbody { display: block; }
  .index thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .index[data-sortable] thead { position: static; display: block; width: auto; height: auto; clip-path: none; }
  .index[data-sortable] thead tr { display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
  .index[data-sortable] thead th { padding: 0; border: 0; }
  .index tbody tr { display: grid; grid-template-columns: repeat(auto-fill, minmax(5.6rem, 1fr)); gap: 0.5rem 0.75rem; padding-block: 1rem; border-block-end: 1px solid var(--line); }
  .index tbody th, .index tbody td { width: auto; padding: 0; border: 0; }
  .index tbody th { grid-column: 1 / -1; }
  .index .value-label { display: block; color: var(--quiet); font-size: 0.8rem; }
}
`;
