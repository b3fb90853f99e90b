export const helpText = `Rangelight measures web pages.

  rangelight [options] URL...     measure pages, by default with Lighthouse on this machine
  rangelight serve [settings]     start the service (rangelight serve --help)

What is measured
  --psi                   with the remote analyser instead
  --compare               with both, side by side, and why they differ
  --strategy NAME         mobile (usual), desktop, or both
  --categories LIST       of performance, accessibility, best-practices, seo; with commas; usually all
  --runs N                local runs, 1 to 5, of which the median one is shown
  --profile NAME          settings of the local side: lighthouse (usual) or psi
  --file FILE             a file with an address a line; - as FILE or URL reads the standard input

Where
  --server URL            a running service; without, one is started for as long as it is needed, with the
                          environment's settings (TARGETS, CHROME_PATH, PSI_API_KEY and others)
  --api-key KEY           key of that service; better in RANGELIGHT_API_KEY, where no list of processes shows it

What comes out
  --json                  the service's own answers: one as an object, several as an array
  --ndjson                the same, a line each as soon as it is there
  --html FILE             a report to open in a browser; for several results FILE is a folder; - for the standard output
  --quiet                 no progress on the standard error output
  --no-color              no colours, like NO_COLOR=1; FORCE_COLOR=1 for colours without a terminal

Assertions, for checks in CI (in quotes: the shell reads < and >)
  --assert 'performance>=90' --assert 'LCP<=2.5s'
                          may be repeated; <, <=, >= and >; scores 0 to 100, times in ms or s.
                          Names: a category; FCP, LCP, TBT, CLS, SI, TTI, TTFB, or the long name.
                          With --compare, psi.performance>=80 or lighthouse.LCP<=2500 names a side;
                          a bare name has to hold on both. What has no value never holds.

Exit codes
  0    measured, and every assertion holds
  1    an assertion failed
  2    the command cannot be understood; nothing was measured
  3    a page could not be measured, or a result or report not written (also when an assertion failed too)
  130  ended by Ctrl-C (143 by SIGTERM)

  --help, -h              print this
  --version, -v           print the version`;
