export type Arrivals<T> = {
  readonly all: readonly T[];
  add(arrival: T): void;
  /** Settles as soon as `count` arrivals satisfy the condition. */
  waitFor(count: number, isWanted?: (arrival: T) => boolean): Promise<readonly T[]>;
};

/** Records arrivals in order and lets a test wait for them without a clock. */
export function createArrivals<T>(): Arrivals<T> {
  const all: T[] = [];
  const watchers = new Set<() => void>();
  return {
    all,
    add(arrival) {
      all.push(arrival);
      for (const look of watchers) look();
    },
    waitFor(count, isWanted = () => true) {
      const found = Promise.withResolvers<readonly T[]>();
      const look = () => {
        const wanted = all.filter(isWanted);
        if (wanted.length < count) return;
        watchers.delete(look);
        found.resolve(wanted);
      };
      watchers.add(look);
      look();
      return found.promise;
    },
  };
}
