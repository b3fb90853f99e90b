/** At most 80 columns: what a terminal usually has. */
export const helpText = `Rangelight measures web pages.

  rangelight [options] URL...          measure pages, with Lighthouse on this
                                       machine unless an option says otherwise
  rangelight compare-builds BEFORE-URL AFTER-URL
                                       whether the second build is better or
                                       worse; measures both in turn
  rangelight experiment [options] URL  whether a change of a page, such as a
                                       blocked script, makes it better or worse;
                                       has its own --help
  rangelight what-if URL or ID         predict the score without each third
                                       party, on other devices, and with all
                                       fixes; measures a URL first
  rangelight ci [options]              measure the pages of a project, and fail
                                       when they get worse; has its own --help
  rangelight mcp [--server URL]        tools for agents, by the Model Context
                                       Protocol
  rangelight history [options] URL     the values of a page, when they changed
  rangelight show [options] ID         a kept result
  rangelight serve [settings]          start the service; it has its own --help
  rangelight store COMMAND             check, salvage or copy stored results, or
                                       trust the clock; it has its own --help
  rangelight import FILE               take over the database of a Lighthouse
                                       CI server; it has its own --help

What is measured
  --psi                with PageSpeed Insights instead: Google's where
                       PSI_API_KEY is set, the server at PSI_ENDPOINT, else its
                       settings on this machine
  --compare            with both, side by side, and why they differ
  --strategy NAME      mobile (default), desktop, or both
  --categories LIST    of performance, accessibility, best-practices and seo,
                       with commas; all four by default. agentic-browsing is
                       measured only if it is named
  --runs N             local runs, 1 to 5, of which the median one is shown;
                       auto: until the median of every score is known to 2
                       points, at most 9
  --profile NAME       settings of the local audit: lighthouse (default), or
                       psi
  --cpu calibrated     slow the processor of the local phone down by as much as
                       the speed of the machine asks for, and show the score
                       under the usual multiplier beside it
  --exclusive          nothing else is measured on the machine beside it; with
                       --compare, one side after the other
  --label NAME         keep the results under this label: a build, a commit
  --file FILE          a file of addresses, one a line or with commas; - as FILE
                       or URL reads the standard input

Where
  --server URL         a running service; without it the command starts one for
                       as long as it runs, with the settings of the environment
                       (TARGETS, CHROME_PATH, PSI_API_KEY and others), except
                       DATABASE_URL: RANGELIGHT_DATABASE_URL names a database
  --api-key KEY        its key; RANGELIGHT_API_KEY keeps it out of the list of
                       processes

What comes out
  --all                every finding with its tables, not only the first ones
  --json               the answers of the service: one as an object, several as
                       an array
  --ndjson             the same, one line for each as soon as it is done
  --html FILE          a report to open in a browser; for several results FILE
                       is a folder, and gets an index.html; - for the standard
                       output
  --junit FILE         JUnit XML of assertions and baselines; --markdown FILE
                       the same as Markdown
  --quiet              no progress on the error output
  --no-color           no colours and no links, like NO_COLOR=1; FORCE_COLOR=1
                       and FORCE_HYPERLINK=1 for them without a terminal.
                       COLUMNS=120 sets the width of tables

Checks in CI
  --assert 'performance>=90' --assert 'LCP<=2.5s'
                       may be repeated; in quotes, because the shell reads < and
                       >. Operators: <, <=, >=, >. A missing value fails. Names:
                         performance, accessibility, best-practices, seo
                         agentic-browsing: percent of its audits that passed
                         FCP, LCP, TBT, CLS, SI, TTI, TTFB, or the long name
                         script-size, image-count, third-party-size, total-size
                         unused-javascript: how many entries an audit lists
                         unused-javascript-score: the score of an audit
                       Before the name: psi. or lighthouse. for one side of a
                       comparison. Before all: 'warn' to fail nothing, and a
                       pattern of pages: 'warn /shop/* LCP<=2s'
  --assert-preset NAME assertions under one name; may be repeated
                         good-vitals   LCP, TBT and CLS are good
                         good-scores   every measured category has 90 or more
                         no-errors     no error in the console, no request that
                                       failed, everything over https
                         budget-light  1 MB in 50 requests, 300 KB of scripts
                                       (docs/command-line.md has each line)
  --assert-file FILE   assertions, one a line; 'preset NAME' for a preset

Kept results
  --baseline NAME      compare with the results of this label, or with the
                       result of this id; take --runs 5
  --min-effect SIZE    smallest difference from the baseline that matters, such
                       as '3 points', '100 ms' or '5 %'; several with commas
  --strict             fail on an undecided comparison with the baseline, too,
                       and on results that cannot be compared
  Of rangelight history:
  --metric NAME        a category or a metric, such as LCP; performance by
                       default
  --source NAME        lighthouse (default) or psi
  --since TIME         measured then or later; ISO 8601, or a day
  --until TIME         measured before

Exit codes
  0    measured, and every assertion holds
  1    an assertion failed, or a page got worse than its baseline (with
       --strict: or it is undecided)
  2    wrong usage; nothing was measured
  3    a page could not be measured, or a result or report not written
       (also when an assertion failed too)
  130  cancelled by Ctrl-C (143 by SIGTERM)

  --help, -h           print this
  --version, -v        print the version`;
