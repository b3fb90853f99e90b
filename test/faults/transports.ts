/** Answers whose bytes come wrong: too slow, too many, too few, or not at all. Nothing goes on after its connection. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Answer, fine, html, pageWith } from './answer.ts';

/** Calls back once a second until the connection closes or the callback has no more to say. */
function everySecond(socket: Socket, tick: () => boolean): void {
  const timer = setInterval(() => {
    if (!tick()) clearInterval(timer);
  }, 1000);
  socket.once('close', () => clearInterval(timer));
}

const rawAnswer = (body: string, length = body.length) =>
  `HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`;

/** Past the HTTP of Node, which would mend what is meant to be broken. */
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

/** As fast as it is read, up to a gigabyte; then it stays open and silent. */
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
  /** Accepts, and that is all. */
  never: () => {},
  'slow-headers': withSocket(socket => trickle(socket, '', rawAnswer(fine))),
  'slow-body': withSocket(socket => trickle(socket, headOf(rawAnswer(fine)), fine)),
  /** What can be painted is there at once; the rest takes for ever. */
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
