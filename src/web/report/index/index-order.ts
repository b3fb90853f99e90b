/** Sorts the results of an index: the worst first, failures last. */
import { categoryNames, type Strategy } from '../../../contract/names.ts';
import type { Rating } from '../../../contract/result/thresholds.ts';
import type { Column } from '../../../presentation/answer.ts';
import { rateScore } from '../../../presentation/metric-range.ts';
import { pageScoreOf } from '../../../presentation/undisturbed.ts';

/**
 * Sorts the table of an index by the clicked column: worst first, then reversed. Rows without a value are always last.
 * The script creates the buttons itself, because they are useless without it. It contains no `<`, so it cannot end its
 * element.
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

/** One page with one strategy, and every requested side. */
export type IndexEntry = {
  readonly url: string;
  readonly strategy: Strategy;
  readonly columns: readonly Column[];
  /** Name of its report in the folder of the index. */
  readonly report: string | undefined;
  /** Screenshot as a data URL. */
  readonly picture: string | undefined;
};

export const hasResult = ({ columns }: IndexEntry): boolean => columns.some(({ part }) => part.ok);

/**
 * Returns the performance score, or else that of the first category with a score; if there are two sides, the worse
 * one. For a disturbed score, the one without the disturbance counts, if it is known.
 */
function worstScore({ columns }: IndexEntry): number | undefined {
  const results = columns.flatMap(({ part }) => (part.ok ? [part.result] : []));
  const name = categoryNames.find(category => results.some(({ scores }) => typeof scores[category] === 'number'));
  const scores = name ? results.flatMap(result => pageScoreOf(result, name) ?? []) : [];
  return scores.length > 0 ? Math.min(...scores) : undefined;
}

/** Sorts entries; those without a score are last, and ties stay in the order of the request. */
export const orderEntries = (entries: readonly IndexEntry[]): IndexEntry[] =>
  entries.toSorted(
    (a, b) => Number(hasResult(b)) - Number(hasResult(a)) || (worstScore(a) ?? 101) - (worstScore(b) ?? 101),
  );

export type RatingCounts = Readonly<Record<Rating, number>>;

/** Counts pages by performance rating; a disturbed score counts only if it is known without the disturbance. */
export function countRatings(entries: readonly IndexEntry[]): RatingCounts {
  const counts = { poor: 0, 'needs-improvement': 0, good: 0 };
  for (const { columns } of entries) {
    const scores = columns.flatMap(({ part }) => (part.ok ? (pageScoreOf(part.result, 'performance') ?? []) : []));
    if (scores.length > 0) counts[rateScore(Math.min(...scores))] += 1;
  }
  return counts;
}
