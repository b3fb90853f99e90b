/** One `/psi` result as it is kept. */
export type StoredResult = {
  /** The Report without full data and without its cache note, as JSON. */
  summary: Buffer;
  /** The analyser's whole Lighthouse result as JSON, compressed with zstd. */
  lighthouseResult: Buffer;
  /** When the page was loaded, as the analyser says: a second answer with the same time is no second measurement. */
  fetchedAt: string;
  /** Milliseconds since the epoch. */
  storedAt: number;
};

export type CacheStore = {
  readonly name: string;
  readonly entries: number;
  readonly bytes: number;
  get(key: string): StoredResult | undefined;
  remove(key: string): void;
  set(key: string, result: StoredResult): void;
  /** Empties the store and returns how many results it held. */
  clear(): number;
};
