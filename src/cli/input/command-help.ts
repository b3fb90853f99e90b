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
  experiment: `Measures changes of a page against the page, in pairs of loads, and says
whether each makes it better or worse.

  rangelight experiment [options] URL

  --block PATTERN      do not load these URLs; * for any characters
  --variant-url URL    another page, such as a preview
  --recipe NAME=URL    a change by name: defer, async, preload, lazy-loading,
                       eager-loading, fetch-priority, font-display,
                       single-point-of-failure; with a value after a space,
                       such as 'fetch-priority=hero.jpg high'; or
                       'find-and-replace=TEXT=>OTHER TEXT'
  --header 'NAME: VALUE'
                       a request header, sent to the origin of the page
  --variant NAME       start another variant, of the changes after it; at most 5
  --metric NAME        the measure that decides: LCP (default), FCP, SI, TBT or
                       performance
  --strategy NAME      mobile (default) or desktop
  --profile NAME       lighthouse (default) or psi
  --label NAME         label of the experiment
  --quiet              no plan and no progress on the error output
${where}

Without --server, the experiment ends with the command; it is stored if DATA_DIR
is set. The exit code is 1 if a variant is worse.`,
  'what-if': `Predicts the score of a page without each third party, on other devices, and
with all findings fixed. A URL is measured first; of a stored result, give the
id.

  rangelight what-if [options] URL|ID

  --strategy NAME      mobile (default) or desktop; of a URL only
${where}`,
} as const;

export const hasHelp = (command: string | undefined): command is keyof typeof commandHelps =>
  command !== undefined && Object.hasOwn(commandHelps, command);
