export const helpText = `Rangelight measures web pages.

  rangelight [options] URL...     measure pages, by default with Lighthouse on this machine
  rangelight history [options] URL    how a score or metric of a page developed, and when it changed
  rangelight show [options] ID    a kept result
  rangelight serve [settings]     start the service (rangelight serve --help)

What is measured
  --psi                   with PageSpeed Insights instead: Google's where PSI_API_KEY is set, the server at
                          PSI_ENDPOINT, else PageSpeed Insights settings, on this machine
  --compare               with both, side by side, and why they differ
  --strategy NAME         mobile (usual), desktop, or both
  --categories LIST       of performance, accessibility, best-practices, seo; with commas; usually all
  --runs N                local runs, 1 to 5, of which the median one is shown; auto: until the median of every
                          score is known to 2 points, at most 9
  --profile NAME          settings of the local audit: lighthouse (usual), or psi for those of PageSpeed Insights
  --cpu calibrated        slow the processor of the local phone down by as much as the speed of the machine asks for,
                          and show the score under the usual multiplier beside it; usual is the default
  --exclusive             nothing else is measured on the machine beside it; with --compare, one side after the other
  --label NAME            keep the results under this label: a build, a commit
  --file FILE             a file of addresses, one a line or with commas; - as FILE or URL reads the standard input

Where
  --server URL            a running service; without it the command starts one for as long as it runs, with
                          the settings of the environment (TARGETS, CHROME_PATH, PSI_API_KEY and others)
  --api-key KEY           key of that service; RANGELIGHT_API_KEY is better: no list of processes shows it

What comes out
  --json                  the answers of the service: one as an object, several as an array
  --ndjson                the same, a line for each as soon as it is done
  --html FILE             a report to open in a browser; for several results FILE is a folder; - for the standard output
  --quiet                 no progress on the standard error output
  --no-color              no colours, like NO_COLOR=1; FORCE_COLOR=1 for colours without a terminal

Assertions, for checks in CI (in quotes: the shell reads < and >)
  --assert 'performance>=90' --assert 'LCP<=2.5s'
                          may be repeated; <, <=, >= and >; scores 0 to 100, times in ms or s.
                          Names: a category; FCP, LCP, TBT, CLS, SI, TTI, TTFB, or the long name.
                          With --compare, psi.performance>=80 or lighthouse.LCP<=2500 names a side;
                          a bare name has to hold on both. A missing value never holds.
                          Also sizes and counts of requests by type and of third parties (script-size<=300KB,
                          image-count<=20, third-party-size<=100KB, total-size<=1MB), and how many entries an audit
                          lists (unused-javascript<=0). Before it: 'warn' to fail nothing, and a pattern of pages:
                          --assert 'warn /shop/* LCP<=2s'
  --assert-file FILE      assertions, one a line

Kept results
  --baseline NAME         compare with the results of this label, or with the result of this id; take --runs 5
  --metric NAME           of rangelight history: a category (usually performance) or a metric, such as LCP
  --source NAME           of rangelight history: lighthouse (usual) or psi
  --since TIME            of rangelight history: measured then or later; ISO 8601, or a day
  --until TIME            of rangelight history: measured before

Exit codes
  0    measured, and every assertion holds
  1    an assertion failed, or a page got worse than its baseline
  2    wrong usage; nothing was measured
  3    a page could not be measured, or a result or report not written (also when an assertion failed too)
  130  cancelled by Ctrl-C (143 by SIGTERM)

  --help, -h              print this
  --version, -v           print the version`;
