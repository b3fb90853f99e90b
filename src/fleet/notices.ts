/**
 * Notices between instances, by NOTIFY of the database. Notices can get lost, so every recipient also polls the tables
 * every second or two.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { FleetDatabase } from './database.ts';

type NoticeHandler = (payload: unknown) => void;

export type Notices = {
  /** Calls the handler for every notice of a topic, until the returned function is called. Handlers must not throw. */
  subscribe(topic: string, handler: NoticeHandler): () => void;
  /**
   * Notifies all instances that have subscribed to the topic, including this one. Faults of the database are ignored.
   * @throws Error for a payload of 8000 bytes or more as JSON, and for an invalid topic
   */
  publish(topic: string, payload: unknown): Promise<void>;
  /** Calls the handler after each connection. The handler should poll, because notices may have been lost. */
  onReconnect(handler: () => void): () => void;
  /** Resolves when all subscriptions so far are active. */
  whenListening(): Promise<void>;
  readonly isListening: boolean;
  close(): Promise<void>;
};

/** Max size of a payload: PostgreSQL accepts fewer than 8000 bytes. */
const maxPayloadBytes = 7999;
/**
 * Max length of a topic. With the prefix, it is below the 63 bytes that PostgreSQL accepts for the name of a channel.
 */
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
  /** End of the last statement, which the next one waits for. */
  let lastStatement: Promise<unknown> = Promise.resolve();

  const inTurn = (asked: Client, sql: string): Promise<unknown> => {
    const answered = lastStatement.then(() => asked.query(sql));
    lastStatement = answered.catch(() => {});
    return answered;
  };

  const drop = (lost: Client): void => {
    if (client === lost) {
      client = undefined;
      connected = Promise.withResolvers();
    }
    lost.removeAllListeners('end');
    lost.end().catch(() => {});
  };

  /** After a failed statement the channels are unknown, so the connection is replaced; the next has all channels. */
  const listen = (word: 'LISTEN' | 'UNLISTEN', channel: string): void => {
    const on = client;
    if (on) inTurn(on, `${word} "${channel}"`).catch(() => drop(on));
  };

  /** Checks the connection. The check fails if the other end disappeared silently. */
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
    // These channels were added while connecting. Listening twice has no effect.
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
      // While the database is unavailable, no instance would receive the notice, and this call would block.
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
      // The connection may never end if the server does not respond.
      const isOver = new AbortController();
      const ended = last?.end().catch(() => {});
      await Promise.race([ended, delay(closeMs, undefined, { signal: isOver.signal }).catch(() => {})]);
      isOver.abort();
    },
  };
}
