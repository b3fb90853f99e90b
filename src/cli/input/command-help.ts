/** Help of the commands about stored results and comparisons. At most 80 columns. */

const where = `  --server URL         a running service; without it the command starts one
  --api-key KEY        its key; RANGELIGHT_API_KEY keeps it out of the list of
                       processes
  --json               print the answer of the service as JSON
  --no-color           no colours and no links`;

export const commandHelps = {
  history: `Shows the stored values of a page, and when they changed.

  rangelight history [options] URL

  --metric NAME        a category or a metric, such as LCP; performance by
                       default
  --strategy NAME      mobile (default) or desktop
  --source NAME        lighthouse (default) or psi
  --label NAME         only results with this label
  --since TIME         measured at this time or later; ISO 8601, or a day
  --until TIME         measured before this time
${where}`,
  show: `Shows a stored result.

  rangelight show [options] ID

  --all                every finding with its tables
${where}`,
  'compare-builds': `Measures two builds of a page in turn, and says whether the second is better or
worse.

  rangelight compare-builds [options] BEFORE-URL AFTER-URL

  --strategy NAME      mobile (default) or desktop
  --min-effect SIZE    smallest difference that matters, such as '3 points',
                       '100 ms' or '5 %'; several with commas
  --strict             exit with 1 if the comparison is undecided, too
  --quiet              no progress on the error output
${where}`,
  'what-if': `Predicts the score of a page without each third party, on other devices, and
with all findings fixed. A URL is measured first; of a stored result, give the
id.

  rangelight what-if [options] URL|ID

  --strategy NAME      mobile (default) or desktop; of a URL only
${where}`,
} as const;

export const hasHelp = (command: string | undefined): command is keyof typeof commandHelps =>
  command !== undefined && Object.hasOwn(commandHelps, command);
