/** What a worker could not do, as plain data from the other side of the process boundary. */
export class WorkerFailure extends Error {
  readonly during: 'start' | 'launch' | 'audit';
  readonly code: string | undefined;
  /** The document that failed, where one did. */
  readonly url: string | undefined;

  constructor(during: WorkerFailure['during'], message: string, code?: string, url?: string) {
    super(message);
    this.url = url;
    this.name = 'WorkerFailure';
    this.during = during;
    this.code = code;
  }
}
