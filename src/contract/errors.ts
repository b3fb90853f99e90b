import type { Seen } from './access/seen.ts';

/** Every error of an analysis with its meaning for clients; docs/errors.md lists the same codes. */

/**
 * The part at fault: the page, the PSI server, this machine (or another of the fleet), or the client. It decides
 * whether a stale result is returned, the log level, and which calls are retried.
 */
export type Fault = 'page' | 'remote' | 'machine' | 'client';

type ErrorKind = {
  readonly status: number;
  readonly retryable: boolean;
  readonly fault: Fault;
  readonly title: string;
};

export const errorTable = {
  unauthorized: { status: 401, retryable: false, fault: 'client', title: 'Authentication required' },
  target_forbidden: { status: 403, retryable: false, fault: 'client', title: 'Target not allowed' },
  cross_site_request: { status: 403, retryable: false, fault: 'client', title: 'Cross-site request refused' },
  operator_only: { status: 403, retryable: false, fault: 'client', title: 'Only for operators' },
  host_not_allowed: { status: 403, retryable: false, fault: 'client', title: 'Host not allowed' },
  invalid_url: { status: 422, retryable: false, fault: 'client', title: 'Invalid URL' },
  result_not_found: { status: 404, retryable: false, fault: 'client', title: 'Result not found' },
  job_not_found: { status: 404, retryable: false, fault: 'client', title: 'Job not found' },
  job_cancelled: { status: 409, retryable: false, fault: 'client', title: 'Job cancelled' },
  schedule_not_found: { status: 404, retryable: false, fault: 'client', title: 'Schedule not found' },
  access_not_found: { status: 404, retryable: false, fault: 'client', title: 'Stored access not found' },
  note_not_found: { status: 404, retryable: false, fault: 'client', title: 'Note not found' },
  artifacts_gone: { status: 410, retryable: false, fault: 'client', title: 'Artifacts are not stored' },
  not_simulated: { status: 409, retryable: false, fault: 'client', title: 'Load was not simulated' },
  results_not_kept: { status: 404, retryable: false, fault: 'client', title: 'Results are not stored' },
  payload_too_large: { status: 413, retryable: false, fault: 'client', title: 'Request body too large' },
  rate_limited: { status: 429, retryable: true, fault: 'client', title: 'Too many requests' },
  internal: { status: 500, retryable: true, fault: 'machine', title: 'Internal error' },
  job_interrupted: { status: 500, retryable: true, fault: 'machine', title: 'Job interrupted' },
  page_unreachable: { status: 502, retryable: true, fault: 'page', title: 'Page unreachable' },
  page_error: { status: 502, retryable: true, fault: 'page', title: 'Page returned an error' },
  login_required: { status: 502, retryable: false, fault: 'page', title: 'Page requires a login' },
  login_failed: { status: 502, retryable: true, fault: 'page', title: 'Login failed' },
  page_not_html: { status: 502, retryable: false, fault: 'page', title: 'Page is not HTML' },
  page_blank: { status: 502, retryable: true, fault: 'page', title: 'Page painted nothing' },
  page_hung: { status: 502, retryable: true, fault: 'page', title: 'Page stopped responding' },
  page_crashed: { status: 502, retryable: true, fault: 'page', title: 'Page crashed the browser' },
  page_too_large: { status: 502, retryable: false, fault: 'page', title: 'Page too large' },
  page_insecure: { status: 502, retryable: false, fault: 'page', title: 'Page is not secure' },
  too_many_redirects: { status: 502, retryable: false, fault: 'page', title: 'Page redirects in a loop' },
  sitemap_not_found: { status: 502, retryable: false, fault: 'page', title: 'No sitemap found' },
  sitemap_invalid: { status: 502, retryable: false, fault: 'page', title: 'Not a sitemap' },
  sitemap_too_large: { status: 502, retryable: false, fault: 'page', title: 'Sitemap too large' },
  sitemap_empty: { status: 502, retryable: false, fault: 'page', title: 'No pages to measure in the sitemap' },
  psi_unavailable: { status: 502, retryable: true, fault: 'remote', title: 'PSI server unavailable' },
  psi_bad_response: {
    status: 502,
    retryable: true,
    fault: 'remote',
    title: 'Invalid response from the PSI server',
  },
  psi_key_rejected: { status: 502, retryable: false, fault: 'remote', title: 'PSI server rejected the key' },
  psi_quota_exceeded: { status: 503, retryable: true, fault: 'remote', title: 'PSI quota used up' },
  lighthouse_unavailable: { status: 503, retryable: true, fault: 'machine', title: 'Local audits unavailable' },
  queue_full: { status: 503, retryable: true, fault: 'machine', title: 'Queue full' },
  queue_unavailable: { status: 503, retryable: true, fault: 'machine', title: 'Audit queue unavailable' },
  results_unavailable: { status: 503, retryable: true, fault: 'machine', title: 'Stored results unavailable' },
  jobs_unavailable: { status: 503, retryable: true, fault: 'machine', title: 'Jobs unavailable' },
  shutting_down: { status: 503, retryable: true, fault: 'machine', title: 'Service is shutting down' },
  page_timeout: { status: 504, retryable: true, fault: 'page', title: 'Page timed out' },
  psi_timeout: { status: 504, retryable: true, fault: 'remote', title: 'PSI server timed out' },
  lighthouse_timeout: { status: 504, retryable: true, fault: 'machine', title: 'Local audit timed out' },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorTable;

export const faultOf = (code: ErrorCode): Fault => errorTable[code].fault;

/** Returns whether a code means a bug in the service: the log level is error, and no stale result hides it. */
export const isDefect = (code: ErrorCode): boolean => code === 'internal';

/** The backend of an error: the field of the same name in a Result. */
export type Source = 'psi' | 'lighthouse';

export type ErrorFacts = {
  source?: Source | undefined;
  pageStatus?: number | undefined;
  /** Error code of Lighthouse, such as `NO_FCP`. */
  lighthouseCode?: string | undefined;
  /** English message of Lighthouse, for clients of the PSI v5 endpoint. */
  lighthouseMessage?: string | undefined;
  retryAfterSeconds?: number | undefined;
  /** Whether no call was made for the page, because all calls to the PSI server are blocked for some time. */
  isBlocked?: boolean | undefined;
  /** The page as the browser showed it, if it needs a login. */
  seen?: Seen | undefined;
  /** Id and label of a stored failure. */
  id?: string | undefined;
  cause?: unknown;
};

/** An expected failure. The client reads `message`, which never contains a key or a stack; the log has the cause. */
export class AnalysisError extends Error {
  readonly code: ErrorCode;
  readonly source: Source | undefined;
  readonly pageStatus: number | undefined;
  readonly lighthouseCode: string | undefined;
  readonly lighthouseMessage: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly isBlocked: boolean | undefined;
  readonly #seen: Seen | undefined;
  readonly id: string | undefined;

  constructor(code: ErrorCode, detail: string, facts: ErrorFacts = {}) {
    super(detail, { cause: facts.cause });
    this.name = 'AnalysisError';
    this.code = code;
    this.source = facts.source;
    this.pageStatus = facts.pageStatus;
    this.lighthouseCode = facts.lighthouseCode;
    this.lighthouseMessage = facts.lighthouseMessage;
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.isBlocked = facts.isBlocked;
    this.#seen = facts.seen;
    this.id = facts.id;
  }

  /** The page as the browser showed it. A log lists the fields of errors, and must not contain the picture. */
  get seen(): Seen | undefined {
    return this.#seen;
  }

  /** Returns the same failure, with a backend. */
  from(source: Source): AnalysisError {
    return this.with({ source });
  }

  /** Returns the same failure, with its id in the store. */
  keptAs(id: string): AnalysisError {
    return this.with({ id });
  }

  /** Returns the same failure, for a page for which no call was made. */
  asBlocked(): AnalysisError {
    return this.with({ isBlocked: true });
  }

  private with(facts: ErrorFacts): AnalysisError {
    const { code, message, cause } = this;
    return new AnalysisError(code, message, { ...this.toPlain().facts, ...facts, cause });
  }

  /** Converts an error to plain data without its cause, for another thread or machine; `fromPlainError` reverses it. */
  toPlain(): PlainError {
    const { code, message, source, pageStatus, lighthouseCode, lighthouseMessage, retryAfterSeconds, seen, id } = this;
    const facts = { source, pageStatus, lighthouseCode, lighthouseMessage, retryAfterSeconds, seen, id };
    return { code, message, facts: { ...facts, ...(this.isBlocked ? { isBlocked: true } : {}) } };
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Returns the error for work that a stopping service no longer starts or finishes. Another instance may take over. */
export const shuttingDown = (): AnalysisError =>
  new AnalysisError('shutting_down', 'The service is shutting down.', { retryAfterSeconds: 5 });

export type PlainError = { code: ErrorCode; message: string; facts: Omit<ErrorFacts, 'cause'> };

export const fromPlainError = ({ code, message, facts }: PlainError): AnalysisError =>
  new AnalysisError(code, message, facts);
