/**
 * The order of what waits: clients take turns, so that one with a hundred requests does not keep one with a single
 * request waiting behind them all. Of one client, the one with the lower rank comes first. What belongs to a list of
 * pages comes after everything that someone waits for.
 */
export type Queued = {
  readonly client: string;
  readonly rank: number;
  /** One page of many. */
  readonly isBatch?: boolean | undefined;
};

export type FairQueue<Item extends Queued> = {
  readonly size: number;
  add(item: Item): void;
  /** Takes out the next one. */
  take(): Item | undefined;
  /** Takes one out wherever it is. @returns whether it was there */
  remove(item: Item): boolean;
  /** All of them, in the order in which they are taken as long as nothing is added. */
  inOrder(): Item[];
  /** Where one more of this client would be, 1 being next. */
  positionAfter(client: string, isBatch?: boolean): number;
  /**
   * What should make room for one more of this client: the last one of the client with the most, as long as that
   * leaves it no fewer than this client then has. Undefined if this client has its fair share already.
   */
  displacedBy(client: string): Item | undefined;
};

type Turns<Item extends Queued> = Omit<FairQueue<Item>, 'positionAfter'> & { positionAfter(client: string): number };

/** Two orders, one behind the other. */
export function createFairQueue<Item extends Queued>(): FairQueue<Item> {
  const first = createTurns<Item>();
  const batches = createTurns<Item>();
  const orderOf = ({ isBatch }: Queued) => (isBatch ? batches : first);

  return {
    get size() {
      return first.size + batches.size;
    },
    add: item => orderOf(item).add(item),
    take: () => first.take() ?? batches.take(),
    remove: item => orderOf(item).remove(item),
    inOrder: () => [...first.inOrder(), ...batches.inOrder()],
    positionAfter: (client, isBatch = false) =>
      isBatch ? first.size + batches.positionAfter(client) : first.positionAfter(client),
    displacedBy: client => batches.displacedBy(client) ?? first.displacedBy(client),
  };
}

function createTurns<Item extends Queued>(): Turns<Item> {
  /** Never empty ones. The first has the next turn, and goes to the end after it. */
  const clients = new Map<string, Item[]>();
  let size = 0;

  const countOf = (client: string): number => clients.get(client)?.length ?? 0;

  const withMost = (): Item[] => {
    let most: Item[] = [];
    for (const items of clients.values()) if (items.length >= most.length) most = items;
    return most;
  };

  return {
    get size() {
      return size;
    },
    add(item) {
      const items = clients.get(item.client) ?? [];
      const at = items.findLastIndex(({ rank }) => rank <= item.rank) + 1;
      items.splice(at, 0, item);
      clients.set(item.client, items);
      size += 1;
    },
    take() {
      const [turn] = clients;
      if (!turn) return undefined;
      const [client, items] = turn;
      const item = items.shift();
      clients.delete(client);
      if (items.length > 0) clients.set(client, items);
      size -= 1;
      return item;
    },
    remove(item) {
      const items = clients.get(item.client) ?? [];
      const at = items.indexOf(item);
      if (at < 0) return false;
      items.splice(at, 1);
      if (items.length === 0) clients.delete(item.client);
      size -= 1;
      return true;
    },
    inOrder() {
      const order: Item[] = [];
      let rest = [...clients.values()];
      for (let round = 0; rest.length > 0; round += 1) {
        order.push(...rest.flatMap(items => items[round] ?? []));
        rest = rest.filter(({ length }) => length > round + 1);
      }
      return order;
    },
    positionAfter(client) {
      const round = countOf(client);
      let before = 0;
      let isBeforeClient = true;
      for (const [name, { length }] of clients) {
        if (name === client) isBeforeClient = false;
        before += Math.min(length, isBeforeClient ? round + 1 : round);
      }
      return before + 1;
    },
    displacedBy(client) {
      const most = withMost();
      return countOf(client) + 1 < most.length ? most.at(-1) : undefined;
    },
  };
}
