/**
 * Sorts the table of an index by the column that is pressed: worst first, then the other way round. What has no value
 * stands last, either way. It makes the buttons itself: without scripts there is nothing to press. Ends no element: it
 * holds no `<`.
 */
export const indexScript = `
for (const table of document.querySelectorAll('table.index')) {
  const heads = [...table.tHead.rows[0].cells];
  const rows = [...table.tBodies[0].rows];
  table.dataset.sortable = 'true';
  heads.forEach((head, at) => {
    const read = row => row.cells[at].dataset.value ?? '';
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const isUp = (head.getAttribute('aria-sort') ?? (head.dataset.first === 'high' ? 'ascending' : 'descending')) !== 'ascending';
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', isUp ? 'ascending' : 'descending');
      const compare = (a, b) => (head.dataset.first ? a - b : a > b ? 1 : -1);
      const order = (a, b) => {
        const [one, other] = [read(a), read(b)];
        if (one === other) return 0;
        if (one === '' || other === '') return one === '' ? 1 : -1;
        return compare(one, other) * (isUp ? 1 : -1);
      };
      table.tBodies[0].append(...rows.toSorted(order));
    });
  });
}
`;
