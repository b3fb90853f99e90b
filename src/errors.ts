/**
 * Everything that can go wrong with an analysis, and the one table that says what each means to a caller.
 * `docs/errors.md` lists the same codes; test/contract/errors-doc.test.ts holds the two together.
 */

type ErrorKind = { readonly status: number; readonly retryable: boolean; readonly title: string };

export const errorTable = {
  unauthorized: { status: 401, retryable: false, title: 'Authentication required' },
  target_forbidden: { status: 403, retryable: false, title: 'Target not allowed' },
  cross_site_request: { status: 403, retryable: false, title: 'Cross-site request refused' },
  host_not_allowed: { status: 403, retryable: false, title: 'Host not allowed' },
  invalid_url: { status: 422, retryable: false, title: 'Not an acceptable URL' },
  payload_too_large: { status: 413, retryable: false, title: 'Request body too large' },
  rate_limited: { status: 429, retryable: true, title: 'Too many requests' },
  internal: { status: 500, retryable: true, title: 'Internal error' },
  page_unreachable: { status: 502, retryable: true, title: 'Page unreachable' },
  page_error: { status: 502, retryable: true, title: 'Page answered with an error' },
  page_not_html: { status: 502, retryable: false, title: 'Page is not HTML' },
  page_blank: { status: 502, retryable: true, title: 'Page painted nothing' },
  page_hung: { status: 502, retryable: true, title: 'Page stopped responding' },
  page_crashed: { status: 502, retryable: true, title: 'Page crashed the browser' },
  page_insecure: { status: 502, retryable: false, title: 'Page is not securely served' },
  too_many_redirects: { status: 502, retryable: false, title: 'Page redirects without end' },
  psi_unavailable: { status: 502, retryable: true, title: 'Remote analyser unavailable' },
  psi_bad_response: { status: 502, retryable: true, title: 'Remote analyser answered nonsense' },
  psi_key_rejected: { status: 502, retryable: false, title: 'Remote analyser refused the key' },
  psi_quota_exceeded: { status: 503, retryable: true, title: 'Remote analyser quota used up' },
  lighthouse_unavailable: { status: 503, retryable: true, title: 'Local audits unavailable' },
  queue_full: { status: 503, retryable: true, title: 'Too many audits waiting' },
  shutting_down: { status: 503, retryable: true, title: 'Service is shutting down' },
  psi_timeout: { status: 504, retryable: true, title: 'Remote analyser timed out' },
  lighthouse_timeout: { status: 504, retryable: true, title: 'Local audit timed out' },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorTable;

/** Which backend an error came from; the field of the same name in a Report. */
export type Source = 'psi' | 'lighthouse';

type ErrorFacts = {
  source?: Source | undefined;
  /** HTTP status with which the page itself answered. */
  pageStatus?: number | undefined;
  /** Lighthouse's own error code, such as `NO_FCP`. */
  lighthouseCode?: string | undefined;
  /** Lighthouse's own English text, for clients that speak PSI. */
  lighthouseMessage?: string | undefined;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
};

/**
 * An expected failure. `message` is a sentence a person can act on; it is shown to the caller, so it must never
 * carry a key or a stack. The cause is for the log.
 */
export class AnalysisError extends Error {
  readonly code: ErrorCode;
  readonly source: Source | undefined;
  readonly pageStatus: number | undefined;
  readonly lighthouseCode: string | undefined;
  readonly lighthouseMessage: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, detail: string, facts: ErrorFacts = {}) {
    super(detail, { cause: facts.cause });
    this.name = 'AnalysisError';
    this.code = code;
    this.source = facts.source;
    this.pageStatus = facts.pageStatus;
    this.lighthouseCode = facts.lighthouseCode;
    this.lighthouseMessage = facts.lighthouseMessage;
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }

  /** The same failure, said of one backend. */
  from(source: Source): AnalysisError {
    return new AnalysisError(this.code, this.message, {
      source,
      pageStatus: this.pageStatus,
      lighthouseCode: this.lighthouseCode,
      lighthouseMessage: this.lighthouseMessage,
      retryAfterSeconds: this.retryAfterSeconds,
      cause: this.cause,
    });
  }
}
