/** Writes annotations for GitHub: workflow commands on standard output. */
import { byChange, missedOf, type Report, sayFile, sayMissed, sayRedirect, stateWords } from './report.ts';

const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** Max number of annotations of one kind: GitHub shows ten per step. */
const maxAnnotations = 10;

const annotation = (kind: 'error' | 'warning' | 'notice', title: string, message: string): string =>
  `::${kind} title=${property(title)}::${data(message)}`;

/** Returns workflow commands, one per line. */
export function toAnnotations({ rows, unused, isStrict }: Report): string[] {
  const all = byChange(rows, isStrict).flatMap(row => {
    const about = `${row.url} (${row.strategy}${row.mark === undefined ? '' : `, ${row.mark}`})`;
    const verdict = {
      worse: 'error',
      failed: 'error',
      undecided: 'warning',
      not_compared: 'warning',
      created: 'notice',
    } as const;
    const other = row.worse_scores === undefined ? undefined : 'warning';
    const kind = Object.hasOwn(verdict, row.state) ? verdict[row.state as keyof typeof verdict] : other;
    const file = row.files[0];
    const said = [row.explanation, ...(file ? [sayFile(file)] : [])].join('\n');
    return [
      ...(kind ? [annotation(kind, `${stateWords[row.state]}: ${about}`, said)] : []),
      ...(row.redirect?.warning ? [annotation('warning', `Redirect: ${about}`, sayRedirect(row.redirect))] : []),
      ...missedOf(row).map(check =>
        annotation(check.isWarning ? 'warning' : 'error', `Budget: ${about}`, sayMissed(check)),
      ),
    ];
  });
  const missing = unused.map(({ text, isWarning }) =>
    annotation(isWarning ? 'warning' : 'error', 'Budget without a page', text),
  );
  const lines = [...all, ...missing];
  return (['error', 'warning', 'notice'] as const).flatMap(kind =>
    lines.filter(line => line.startsWith(`::${kind} `)).slice(0, maxAnnotations),
  );
}
