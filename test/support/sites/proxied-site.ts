/** Sites for the tests of plain HTTP through the egress proxy. */
import type { RequestListener } from 'node:http';
import type { TestContext } from 'node:test';
import { createProxiedClient, openOwnEgress, siteUrl } from '../surroundings/own-egress.ts';
import { startRawServer } from '../surroundings/own-network.ts';
import { startLocalServer } from './local-server.ts';

export const toPort = (url: string) => Number(new URL(url).port);

/** An HTTP server behind an egress proxy of its own, and a client that goes through it. */
export const startSite = async (t: TestContext, listener: RequestListener) => {
  const { url } = await startLocalServer(t, listener);
  const opened = await openOwnEgress(t, toPort(url));
  return { ...opened, ask: createProxiedClient(t, opened.egress) };
};

/** A server that answers every request head with these bytes, then keeps, ends or resets the connection. */
export async function startRawSite(t: TestContext, answer: string, after: 'stay' | 'end' | 'reset' = 'stay') {
  const { port } = await startRawServer(t, socket => {
    let received = '';
    socket.on('data', chunk => {
      received += chunk.toString('latin1');
      if (!received.includes('\r\n\r\n')) return;
      received = '';
      socket.write(answer, 'latin1', () => {
        if (after === 'end') socket.end();
        if (after === 'reset') socket.resetAndDestroy();
      });
    });
    socket.on('end', () => socket.end());
  });
  return openOwnEgress(t, port);
}

export const get = `GET ${siteUrl} HTTP/1.1\r\nHost: www.example.com\r\n\r\n`;
export const getAndClose = `GET ${siteUrl} HTTP/1.1\r\nHost: www.example.com\r\nConnection: close\r\n\r\n`;
