import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type ConnectionLimits, createConnections } from './connections.ts';

/** Starts a server that responds only when the test does. */
async function listen(t: TestContext, most: number, changes: Partial<ConnectionLimits> = {}) {
  const asked: ServerResponse[] = [];
  const server = createServer();
  const usual = { reserved: 0, unreadMs: 60_000, unreadBytes: 1e6, ahead: 10, unanswered: 10, waiting: 10 };
  const connections = createConnections({ ...usual, ...changes, most });
  connections.serve(server, (_request, response) => {
    asked.push(response);
    server.emit('asked');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return {
    asked,
    connections,
    server,
    open: async () => {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      socket.resume();
      t.after(() => void socket.destroy());
      await once(server, 'connection');
      return socket;
    },
    /** Sends a request. @returns its response, which the test writes */
    ask: async (socket: Socket) => {
      socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
      await once(server, 'asked');
      return asked.at(-1) ?? assert.fail();
    },
  };
}

const answer = async (socket: Socket, response: ServerResponse) => {
  const answered = once(socket, 'data');
  const closed = once(response, 'close');
  response.end('x');
  await Promise.all([answered, closed]);
};

test('the connection that has been idle longest is closed', async t => {
  const { open, ask } = await listen(t, 3);
  const [first, second, third] = [await open(), await open(), await open()];
  await answer(first, await ask(first));
  const gone = once(second, 'close');
  const fourth = await open();
  await gone;
  const next = once(third, 'close');
  const fifth = await open();
  await next;
  assert.deepEqual(
    [first, fourth, fifth].map(socket => socket.destroyed),
    [false, false, false],
  );
  await answer(first, await ask(first));
});

test('a connection that waits for an answer stays open, and a new one is closed if all of them wait', async t => {
  const { open, ask } = await listen(t, 2);
  const [first, second] = [await open(), await open()];
  const [slow, slower] = [await ask(first), await ask(second)];
  const third = await open();
  await once(third, 'close');
  await answer(first, slow);
  const gone = once(first, 'close');
  const fourth = await open();
  await gone;
  await answer(second, slower);
  await answer(fourth, await ask(fourth));
});

test('a connection with a second request in flight is not idle', async t => {
  const { open, ask } = await listen(t, 1);
  const first = await open();
  const one = await ask(first);
  const two = await ask(first);
  await answer(first, one);
  const second = await open();
  await once(second, 'close');
  await answer(first, two);
});

test('closed connections free their slots', async t => {
  const { open, ask } = await listen(t, 1);
  for (let count = 0; count < 5; count += 1) {
    const socket = await open();
    await answer(socket, await ask(socket));
    socket.destroy();
    await once(socket, 'close');
  }
});

const requests = (count: number) => 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(count);

/** Larger than the buffers of both sockets together. */
const large = Buffer.alloc(16 * 1024 * 1024);

test('the next request of a connection does not run before the previous answer is read', async t => {
  const { open, asked, server } = await listen(t, 10, { ahead: 0 });
  const socket = await open();
  socket.pause();
  socket.write(requests(3));
  await once(server, 'asked');
  asked[0]?.end(large);
  await new Promise(setImmediate);
  assert.equal(asked.length, 1);
  const next = once(server, 'asked');
  socket.resume();
  await next;
  assert.equal(asked.length, 2);
});

test('few requests run ahead of an answer, over all connections together, and none run past one that waits', async t => {
  const { open, asked, server } = await listen(t, 10, { ahead: 2 });
  const [one, two] = [await open(), await open()];
  one.write(requests(4));
  await once(server, 'asked');
  assert.equal(asked.length, 3);
  two.write(requests(2));
  await once(server, 'asked');
  assert.equal(asked.length, 4, 'only the first of the second connection');
  const next = once(server, 'asked');
  asked[3]?.end('x');
  await next;
  assert.equal(asked.length, 5);
});

test('an answer that is ready early is written after those before it have been read', async t => {
  const { open, asked, server, connections } = await listen(t, 10);
  const socket = await open();
  socket.write(requests(2));
  await once(server, 'asked');
  const [first, second] = asked as [ServerResponse, ServerResponse];
  const order: string[] = [];
  const written = Promise.withResolvers<void>();
  connections.onFirst(second, () => {
    order.push('second');
    second.end('x', written.resolve);
  });
  connections.onFirst(first, () => {
    order.push('first');
    first.end('x');
  });
  await written.promise;
  assert.deepEqual(order, ['first', 'second']);
});

test('a connection with too many unanswered requests is closed', async t => {
  const { open, asked } = await listen(t, 10, { unanswered: 5 });
  const socket = await open();
  const closed = once(socket, 'close');
  socket.write(requests(1000));
  await closed;
  assert.ok(asked.length <= 5);
});

test('a client that reads nothing is disconnected, one that waits for its answer is not', async t => {
  const { open, ask } = await listen(t, 10, { unreadMs: 300 });
  const [silent, patient] = [await open(), await open()];
  silent.pause();
  const waiting = await ask(patient);
  const unread = await ask(silent);
  const cut = once(unread, 'close');
  unread.end(large);
  await cut;
  assert.equal(unread.writableFinished, false);
  await answer(patient, waiting);
});

test('if unread answers are too large together, the client with the oldest request is disconnected', async t => {
  const { open, ask } = await listen(t, 10, { unreadBytes: 3.5 * large.length });
  const sockets = [await open(), await open(), await open(), await open()];
  const answers: ServerResponse[] = [];
  for (const socket of sockets) {
    socket.pause();
    const response = await ask(socket);
    answers.push(response);
    response.end(large);
  }
  const [oldest] = answers as [ServerResponse];
  const cut = once(oldest, 'close');
  // Unread responses are summed when a request arrives, but not for every request.
  const asking = (async () => {
    while (!oldest.closed) {
      const other = await open();
      await answer(other, await ask(other));
      other.destroy();
    }
  })();
  await Promise.all([cut, asking]);
  assert.deepEqual(
    answers.map(({ closed }) => closed),
    [true, false, false, false],
  );
});

test('connections that wait for answers reach their limit before those reserved for probes are used', async t => {
  const { open, ask, connections } = await listen(t, 2, { reserved: 1 });
  const [one, two, three] = [await open(), await open(), await open()];
  const answers = [await ask(one), await ask(two)];
  assert.equal(connections.isFull(), false);
  const probe = await ask(three);
  assert.equal(connections.isFull(), true);
  await answer(three, probe);
  assert.equal(connections.isFull(), false);
  await answer(one, answers[0] as ServerResponse);
});
