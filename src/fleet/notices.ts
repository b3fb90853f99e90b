/**
 * What instances call out to each other, by NOTIFY over the database. A notice can get lost, and nothing may depend on
 * it: whoever waits for one also looks into the tables every second or two.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { FleetDatabase } from './database.ts';

type NoticeHandler = (payload: unknown) => void;

export type Notices = {
  /** Calls back for every notice of a topic, until what it returns is called. Handlers must not throw. */
  subscribe(topic: string, handler: NoticeHandler): () => void;
  /** Reports all instances that have subscribed to the topic, this one too. Never throws. @param payload below 8 KB */
  publish(topic: string, payload: unknown): Promise<void>;
  /** Calls back when the connection is there, and there again: notices may be lost, so that it is time to look. */
  onReconnect(handler: () => void): () => void;
  /** Resolves once all that was subscribed to so far is listened to. */
  whenListening(): Promise<void>;
  readonly isListening: boolean;
  close(): Promise<void>;
};

/** PostgreSQL takes less than 8000 bytes. */
const maxPayloadBytes = 7999;
/** Of a channel's name, in bytes; the server would cut it off. */
const maxTopicLength = 50;
const channelPrefix = 'rangelight:';
const connectTimeoutMs = 2000;
const proofMs = 15_000;
const proofTimeoutMs = 3000;
const closeMs = 1000;

const toChannel = (topic: string): string => {
  if (topic.length > maxTopicLength || !/^[\w:.-]+$/.test(topic)) throw new Error(`No topic of notices: ${topic}`);
  return `${channelPrefix}${topic}`;
};

const parse = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
};

export function createNotices(database: Pick<FleetDatabase, 'url' | 'query' | 'availability'>): Notices {
  const handlers = new Map<string, Set<NoticeHandler>>();
  const reconnectHandlers = new Set<() => void>();
  let client: Client | undefined;
  let provedAt = 0;
  let isClosed = false;
  let connected = Promise.withResolvers<void>();
  /** One at a time: when it settles, all before it are through. */
  let lastStatement: Promise<unknown> = Promise.resolve();

  const inTurn = (asked: Client, sql: string): Promise<unknown> => {
    const answered = lastStatement.then(() => asked.query(sql));
    lastStatement = answered.catch(() => {});
    return answered;
  };

  const listen = (word: 'LISTEN' | 'UNLISTEN', channel: string): void => {
    // One that fails takes its connection with it, and the next one listens to all of them.
    if (client) inTurn(client, `${word} "${channel}"`).catch(() => {});
  };

  const drop = (lost: Client): void => {
    if (client === lost) {
      client = undefined;
      connected = Promise.withResolvers();
    }
    lost.removeAllListeners('end');
    lost.end().catch(() => {});
  };

  /** A connection whose other end is gone without a word fails here. */
  const prove = async (proven: Client): Promise<void> => {
    if (performance.now() - provedAt < proofMs) return;
    provedAt = performance.now();
    await inTurn(proven, 'SELECT 1').catch(() => drop(proven));
  };

  async function connectOnce(): Promise<void> {
    const fresh = new Client({
      connectionString: database.url,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: proofTimeoutMs,
      keepAlive: true,
      application_name: 'rangelight notices',
    });
    fresh.on('error', () => {});
    fresh.once('end', () => {
      drop(fresh);
      database.availability.suspect();
    });
    fresh.on('notification', ({ channel, payload }) => {
      const notice = parse(payload);
      for (const handler of handlers.get(channel) ?? []) handler(notice);
    });
    try {
      await fresh.connect();
      for (const channel of handlers.keys()) await fresh.query(`LISTEN "${channel}"`);
    } catch {
      return drop(fresh);
    }
    if (isClosed) return void (await fresh.end().catch(() => {}));
    client = fresh;
    // Those that came while it connected; to listen twice is to listen once.
    for (const channel of handlers.keys()) listen('LISTEN', channel);
    connected.resolve();
    provedAt = performance.now();
    for (const handler of reconnectHandlers) handler();
  }

  let connecting: Promise<void> | undefined;
  const connect = (): Promise<void> => {
    connecting ??= connectOnce().finally(() => {
      connecting = undefined;
    });
    return connecting;
  };

  const stopBeating = database.availability.onBeat(() => (client ? prove(client) : connect()));
  void connect();

  return {
    subscribe(topic, handler) {
      const channel = toChannel(topic);
      const known = handlers.get(channel);
      const all = known ?? new Set<NoticeHandler>();
      all.add(handler);
      handlers.set(channel, all);
      if (!known) listen('LISTEN', channel);
      return () => {
        if (!all.delete(handler) || all.size > 0 || handlers.get(channel) !== all) return;
        handlers.delete(channel);
        listen('UNLISTEN', channel);
      };
    },
    async publish(topic, payload) {
      const text = JSON.stringify(payload);
      if (Buffer.byteLength(text) > maxPayloadBytes) throw new Error(`A notice of ${topic} is too long`);
      // Without the database no instance would hear it, and this one would wait.
      if (!database.availability.isThere) return;
      await database.query('SELECT pg_notify($1, $2)', [toChannel(topic), text]).catch(() => {});
    },
    onReconnect(handler) {
      reconnectHandlers.add(handler);
      return () => void reconnectHandlers.delete(handler);
    },
    async whenListening() {
      await connected.promise;
      await lastStatement;
    },
    get isListening() {
      return client !== undefined;
    },
    async close() {
      isClosed = true;
      stopBeating();
      handlers.clear();
      const last = client;
      client = undefined;
      last?.removeAllListeners('end');
      // A server that has fallen silent closes nothing.
      const isOver = new AbortController();
      const ended = last?.end().catch(() => {});
      await Promise.race([ended, delay(closeMs, undefined, { signal: isOver.signal }).catch(() => {})]);
      isOver.abort();
    },
  };
}
