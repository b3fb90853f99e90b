/**
 * Orders waiting items. Clients take turns, so that a client with a hundred requests does not delay one with a single
 * request. Items of one client are ordered by rank, lowest first. Batch items come after all single requests.
 */
export type Queued = {
  readonly client: string;
  readonly rank: number;
  /** Whether this is one page of many. */
  readonly isBatch?: boolean | undefined;
};

/** Creates a queue that serves batch items after all others. */
export function createFairQueue<Item extends Queued>() {
  const first = createTurns<Item>();
  const batches = createTurns<Item>();
  const orderOf = ({ isBatch }: Queued) => (isBatch ? batches : first);

  return {
    get size(): number {
      return first.size + batches.size;
    },
    add: (item: Item): void => orderOf(item).add(item),
    /** Removes and returns the next item. @param mayTake whether a client's first item may be taken, by default always */
    take: (mayTake?: (item: Item) => boolean): Item | undefined => first.take(mayTake) ?? batches.take(mayTake),
    /** Removes an item at any position. @returns whether it was there */
    remove: (item: Item): boolean => orderOf(item).remove(item),
    /** Returns all items in the order in which they would be taken. */
    inOrder: (): Item[] => [...first.inOrder(), ...batches.inOrder()],
    /** Returns the position that a further item of this client would have, 1 being next. */
    positionAfter: (client: string, isBatch = false): number =>
      isBatch ? first.size + batches.positionAfter(client) : first.positionAfter(client),
    /**
     * Returns the item to displace for another one of this client: the last item of the client with the most items.
     * Undefined if this client already has its fair share: the other client would have fewer items than this one. A
     * batch item displaces only batch items.
     */
    displacedBy: (client: string, isBatch = false): Item | undefined =>
      batches.displacedBy(client) ?? (isBatch ? undefined : first.displacedBy(client)),
  };
}

function createTurns<Item extends Queued>() {
  /** Non-empty queues. The first client has the next turn, and then moves to the end. */
  const clients = new Map<string, Item[]>();
  let size = 0;

  const countOf = (client: string): number => clients.get(client)?.length ?? 0;

  const withMost = (): Item[] => {
    let most: Item[] = [];
    for (const items of clients.values()) if (items.length >= most.length) most = items;
    return most;
  };

  return {
    get size(): number {
      return size;
    },
    add(item: Item): void {
      const items = clients.get(item.client) ?? [];
      const at = items.findLastIndex(({ rank }) => rank <= item.rank) + 1;
      items.splice(at, 0, item);
      clients.set(item.client, items);
      size += 1;
    },
    take(mayTake: (item: Item) => boolean = () => true): Item | undefined {
      const turn = [...clients].find(([, [first]]) => first !== undefined && mayTake(first));
      if (!turn) return undefined;
      const [client, items] = turn;
      const item = items.shift();
      clients.delete(client);
      if (items.length > 0) clients.set(client, items);
      size -= 1;
      return item;
    },
    remove(item: Item): boolean {
      const items = clients.get(item.client) ?? [];
      const at = items.indexOf(item);
      if (at < 0) return false;
      items.splice(at, 1);
      if (items.length === 0) clients.delete(item.client);
      size -= 1;
      return true;
    },
    inOrder(): Item[] {
      const order: Item[] = [];
      let rest = [...clients.values()];
      for (let round = 0; rest.length > 0; round += 1) {
        order.push(...rest.flatMap(items => items[round] ?? []));
        rest = rest.filter(({ length }) => length > round + 1);
      }
      return order;
    },
    positionAfter(client: string): number {
      const round = countOf(client);
      let before = 0;
      let isBeforeClient = true;
      for (const [name, { length }] of clients) {
        if (name === client) isBeforeClient = false;
        before += Math.min(length, isBeforeClient ? round + 1 : round);
      }
      return before + 1;
    },
    displacedBy(client: string): Item | undefined {
      const most = withMost();
      return countOf(client) + 1 < most.length ? most.at(-1) : undefined;
    },
  };
}
