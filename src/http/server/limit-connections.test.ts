import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { limitConnections } from './limit-connections.ts';

/** A server that answers when it is told to. */
async function listen(t: TestContext, most: number) {
  const asked: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    asked.push(response);
    server.emit('asked');
  });
  limitConnections(server, most);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return {
    open: async () => {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      socket.resume();
      t.after(() => void socket.destroy());
      await once(server, 'connection');
      return socket;
    },
    /** @returns its answer, to be given */
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

test('the one that asked nothing for longest makes room', async t => {
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

test('a client that waits for an answer keeps its connection, and where all do the new one goes', async t => {
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

test('a connection with a second request under way is not silent', async t => {
  const { open, ask } = await listen(t, 1);
  const first = await open();
  const one = await ask(first);
  const two = await ask(first);
  await answer(first, one);
  const second = await open();
  await once(second, 'close');
  await answer(first, two);
});

test('connections that were closed leave their room', async t => {
  const { open, ask } = await listen(t, 1);
  for (let count = 0; count < 5; count += 1) {
    const socket = await open();
    await answer(socket, await ask(socket));
    socket.destroy();
    await once(socket, 'close');
  }
});
