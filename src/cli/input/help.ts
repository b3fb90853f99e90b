/** Help in at most 80 columns, the usual width of a terminal. */
export const helpText = `Measure web pages, explain score differences, and check pages in CI.

  rangelight [options] URL...          measure pages, with local Lighthouse
                                       unless an option selects PSI
  rangelight compare-builds BEFORE-URL AFTER-URL
                                       measure two builds of a page in turn, and
                                       judge whether the second is worse
  rangelight experiment [options] URL  measure a change to a page, such as a
                                       blocked script; see its own --help
  rangelight what-if URL or ID         predict the score without each third
                                       party, on other devices, and with all
                                       fixes; a URL is measured first
  rangelight ci [options]              measure the pages of a project, and fail
                                       when they get worse; see its own --help
  rangelight mcp [--server URL]        serve tools for agents over the Model
                                       Context Protocol
  rangelight history [options] URL     show the values of a page over time, and
                                       when they changed
  rangelight show [options] ID         show a stored result
  rangelight serve [settings]          start the service; see its own --help
  rangelight store COMMAND             check, salvage or copy stored results, or
                                       confirm the clock; see its own --help
  rangelight import FILE               import the database of a Lighthouse CI
                                       server; see its own --help

Measuring
  --psi                use PageSpeed Insights: Google if PSI_API_KEY is set, the
                       server at PSI_ENDPOINT if that is set, otherwise this
                       machine with PSI settings
  --compare            use both, and explain why their scores differ
  --strategy NAME      mobile (default), desktop, or both
  --categories LIST    comma-separated list of performance, accessibility,
                       best-practices and seo; all four by default. Add
                       agentic-browsing to measure it too
  --runs N             local runs, 1 to 5; the median run is shown. auto: run
                       until the median of every score is known to within 2
                       points, at most 9 runs
  --profile NAME       settings of local audits: lighthouse (default) or psi
  --cpu calibrated     calibrate the CPU throttling of local mobile runs to the
                       speed of this machine, and show the score with the
                       default throttling too
  --exclusive          run nothing else on the machine during each audit; with
                       --compare, one side after the other
  --label NAME         store the results under this label, such as a build or a
                       commit
  --file FILE          read URLs from a file, one per line or separated by
                       commas; - as FILE or URL reads standard input

Service
  --server URL         use a running service. By default the command starts its
                       own, with the settings in the environment (TARGETS,
                       CHROME_PATH, PSI_API_KEY and others) except
                       DATABASE_URL: set RANGELIGHT_DATABASE_URL for a database
  --api-key KEY        API key of the service; set RANGELIGHT_API_KEY instead to
                       keep it out of the process list

Output
  --all                show every finding with its tables
  --json               print the JSON response of the service: an object for one
                       result, an array for several
  --ndjson             print each result as a line of JSON as soon as it is done
  --html FILE          write an HTML report. For several results, FILE is a
                       folder with an index.html; - writes to standard output
  --junit FILE         write assertions and baselines as JUnit XML
  --markdown FILE      write assertions and baselines as Markdown
  --quiet              hide progress
  --no-color           disable colours and links, like NO_COLOR=1.
                       FORCE_COLOR=1 and FORCE_HYPERLINK=1 enable them without a
                       terminal. COLUMNS=120 sets the width of tables

Checks in CI
  --assert 'performance>=90' --assert 'LCP<=2.5s'
                       fail unless the assertion is true; repeatable. Quote
                       it, because the shell interprets < and >.
                       Operators: <, <=, >=, >. A missing value fails. Names:
                         performance, accessibility, best-practices, seo
                         agentic-browsing: percentage of its audits that passed
                         FCP, LCP, TBT, CLS, SI, TTI, TTFB, or the long name
                         script-size, image-count, third-party-size, total-size
                         unused-javascript: number of items that an audit lists
                         unused-javascript-score: score of an audit
                       Prefix a name with psi. or lighthouse. for one side of a
                       comparison. Prefix an assertion with 'warn' to warn
                       instead of fail, and with a URL pattern:
                       'warn /shop/* LCP<=2s'
  --assert-preset NAME use a set of assertions; repeatable
                         good-vitals   LCP, TBT and CLS are good
                         good-scores   every measured category is 90 or more
                         no-errors     no console errors, no failed requests,
                                       everything over https
                         budget-light  1 MB in 50 requests, 300 KB of scripts
                                       (docs/command-line.md has each line)
  --assert-file FILE   read assertions from a file, one per line; 'preset NAME'
                       adds a preset

Stored results
  --baseline NAME      compare with the results under this label, or with the
                       result with this id; use it with --runs 5
  --min-effect SIZE    smallest difference from the baseline that matters, such
                       as '3 points', '100 ms' or '5 %'; separate several with
                       commas
  --strict             also fail if the comparison with the baseline is
                       undecided, if the results cannot be compared, or on an
                       assertion about a load that other work disturbed
  Options of rangelight history:
  --metric NAME        category or metric, such as LCP; performance by default
  --source NAME        lighthouse (default) or psi
  --since TIME         only results measured at this time or later; ISO 8601
                       time or date
  --until TIME         only results measured before this time

Exit codes
  0    measured, and all assertions passed
  1    an assertion failed, or a page is worse than its baseline (with
       --strict: or undecided)
  2    invalid usage; nothing was measured
  3    a page could not be measured, or a result or report could not be written
       (even if an assertion failed too)
  130  cancelled by Ctrl-C (143 by SIGTERM)

  --help, -h           print this help
  --version, -v        print the version`;
