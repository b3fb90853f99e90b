/** Help of the commands about stored results and comparisons, in at most 80 columns. */

const where = `  --server URL         use a running service; by default the command starts one
  --api-key KEY        API key of the service; set RANGELIGHT_API_KEY instead to
                       keep it out of the process list
  --json               print the JSON response of the service
  --no-color           disable colours and links`;

export const commandHelps = {
  history: `Show the stored values of a page, and when they changed.

  rangelight history [options] URL

  --metric NAME        category or metric, such as LCP; performance by default
  --strategy NAME      mobile (default) or desktop
  --source NAME        lighthouse (default) or psi
  --label NAME         only results with this label
  --since TIME         only results measured at this time or later; ISO 8601
                       time or date
  --until TIME         only results measured before this time
${where}`,
  show: `Show a stored result.

  rangelight show [options] ID

  --all                show every finding with its tables
${where}`,
  'compare-builds': `Measure two builds of a page in turn, and judge whether the second is better or
worse.

  rangelight compare-builds [options] BEFORE-URL AFTER-URL

  --strategy NAME      mobile (default) or desktop
  --min-effect SIZE    smallest difference that matters, such as '3 points',
                       '100 ms' or '5 %'; separate several with commas
  --strict             also exit with 1 if the comparison is undecided
  --quiet              hide progress
${where}`,
  experiment: `Measure changes to a page against the unchanged page, in pairs of loads, and
judge whether each makes it better or worse.

  rangelight experiment [options] URL

  --block PATTERN      do not load matching URLs; * matches any characters
  --variant-url URL    load another page, such as a preview
  --recipe NAME=URL    apply a named change: defer, async, preload,
                       lazy-loading, eager-loading, fetch-priority,
                       font-display, single-point-of-failure. A value follows
                       a space: 'fetch-priority=hero.jpg high'. Replace text
                       with 'find-and-replace=TEXT=>OTHER TEXT'
  --header 'NAME: VALUE'
                       send a request header to the origin of the page
  --variant NAME       start another variant with the changes that follow; at
                       most 5
  --metric NAME        metric that decides: LCP (default), FCP, SI, TBT,
                       TTFB or performance
  --strategy NAME      mobile (default) or desktop
  --profile NAME       lighthouse (default) or psi
  --label NAME         label of the experiment
  --html FILE          write an HTML report; - writes to standard output
  --quiet              hide the plan and progress
${where}

Without --server, the experiment ends when the command does, and is stored
unless DATA_DIR is none. The exit code is 1 if a variant is worse, and 3 if a
variant was not measured.`,
  'what-if': `Predict the score of a page without each third party, on other devices, and with
all findings fixed. A URL is measured first; for a stored result, give its id.

  rangelight what-if [options] URL|ID

  --strategy NAME      mobile (default) or desktop; for a URL only
${where}`,
} as const;

export const hasHelp = (command: string | undefined): command is keyof typeof commandHelps =>
  command !== undefined && Object.hasOwn(commandHelps, command);
