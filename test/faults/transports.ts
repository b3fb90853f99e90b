/**
 * Answers with faulty transport: too slow, too long, too short, or missing. Nothing continues after its connection
 * closes.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Answer, fine, html, pageWith } from './answer.ts';

/** Calls back every second until the connection closes or the callback returns false. */
function everySecond(socket: Socket, tick: () => boolean): void {
  const timer = setInterval(() => {
    if (!tick()) clearInterval(timer);
  }, 1000);
  socket.once('close', () => clearInterval(timer));
}

const rawAnswer = (body: string, length = body.length) =>
  `HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`;

/** Writes to the socket directly, because Node's HTTP server would correct the fault. */
const withSocket =
  (use: (socket: Socket) => void): Answer =>
  response => {
    const { socket } = response;
    if (socket) use(socket);
  };

const trickle = (socket: Socket, head: string, slow: string) => {
  let sent = 0;
  socket.write(head);
  everySecond(socket, () => {
    socket.write(slow[sent] ?? ' ');
    sent += 1;
    return true;
  });
};

const maxEndlessBytes = 1024 * 1024 * 1024;

/** Sends as fast as the client reads, up to a gigabyte; then the connection stays open without data. */
function pourForever(response: ServerResponse, piece: string): void {
  const chunk = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)));
  let left = maxEndlessBytes;
  const pour = () => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length;
      if (!response.write(chunk)) return void response.once('drain', pour);
    }
  };
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.write(fine.slice(0, fine.indexOf('</main>')));
  pour();
}

const headOf = (text: string) => text.slice(0, text.indexOf('\r\n\r\n') + 4);

export const transports = {
  /** Accepts the request and never answers. */
  never: () => {},
  'slow-headers': withSocket(socket => trickle(socket, '', rawAnswer(fine))),
  'slow-body': withSocket(socket => trickle(socket, headOf(rawAnswer(fine)), fine)),
  /** Everything visible arrives at once; the rest never completes. */
  'slow-rest': withSocket(socket =>
    trickle(socket, headOf(rawAnswer(fine, 1_000_000)) + fine.slice(0, fine.indexOf('</main>')), ' '),
  ),
  'endless-body': response => pourForever(response, '<!-- and so on -->\n'),
  'endless-words': response => pourForever(response, '<p>And so on.</p>\n'),
  'length-too-long': withSocket(socket => socket.end(rawAnswer(fine, fine.length + 1000))),
  'length-too-short': withSocket(socket => socket.end(rawAnswer(fine, fine.indexOf('</main>')))),
  'reset-at-once': withSocket(socket => socket.resetAndDestroy()),
  'reset-in-headers': withSocket(socket => socket.write('HTTP/1.1 200 O', () => socket.resetAndDestroy())),
  'reset-in-body': withSocket(socket =>
    socket.write(rawAnswer(fine).slice(0, 300), () => setTimeout(() => socket.resetAndDestroy(), 100)),
  ),
  'no-http': withSocket(socket => socket.end('220 mail.example ESMTP\r\n')),
  'slow-start': (response, request) => {
    const timer = setTimeout(() => html(pageWith({ title: 'Slow, and fine' }))(response, request), 2000);
    response.once('close', () => clearTimeout(timer));
  },
} satisfies Record<string, Answer>;
