/**
 * A worker as a hostile page could have turned it into: it starts no browser and sends messages that it must not send.
 * The order's URL (`?do=`) selects them; before an order arrives, the name of the link that starts it does.
 */
import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { basename } from 'node:path';
import type { WorkerOrder } from '../../../src/measure/lighthouse/messages.ts';
import { toPipeWire } from '../../../src/measure/pipe-wire.ts';
import { buildPlainLhr } from '../builders/lhr.ts';

// Tests import the names of the cases below.
const service = new Socket(import.meta.main ? { fd: 3 } : {});
service.on('error', () => {});

const write = (text: string) => service.write(text);
/** The call of the last order. */
let call = 1;

/** An answer followed by its bytes. */
class ResultText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return `${JSON.stringify(answer({ bytes: Buffer.byteLength(this.text) }))}\n${this.text}`;
  }
}
const toSent = (message: unknown) => (message instanceof ResultText ? String(message) : `${JSON.stringify(message)}\n`);
const send = (...messages: unknown[]) => void write(messages.map(toSent).join(''));

const notice = (name: string, data: unknown = null) => ({ notice: name, data });
const answer = (fields: object) => ({ answer: call, data: {}, bytes: 0, ...fields });
const failure = (data: object) => ({ failure: call, data });
const ready = notice('ready');
const idle = notice('idle');
const stage = notice('stage', { stage: 'loading' });
/** The service returns this text, so a test sees which worker has answered. */
const result = new ResultText(
  JSON.stringify({ ...buildPlainLhr(), environment: { hostUserAgent: `worker ${process.pid}` } }),
);
const ofBrowser = (pid: unknown) => notice('browser', { pid });

const writeForEver = (text: string) => {
  const more = () => {
    while (service.writable && service.write(text));
    service.once('drain', more);
  };
  more();
};

/** A process that ends when this one does. */
const sleeper = `process.stdin.resume().on('end', () => process.exit())`;
const spawnIdle = (detached: boolean) =>
  spawn(process.execPath, ['-e', sleeper], { detached, stdio: ['pipe', 'ignore', 'ignore'] }).pid;

/** The same process, no longer a descendant of this worker. */
const spawnOrphan = (): Promise<number> => {
  const script = `const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(sleeper)}],
    { detached: true, stdio: ['inherit', 'ignore', 'ignore'] }); console.log(child.pid); child.unref();`;
  const parent = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'ignore'] });
  return new Promise(resolve => {
    let output = '';
    parent.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    parent.once('exit', () => resolve(Number(output)));
  });
};

const paramOf = (order: WorkerOrder, name: string) => new URL(order.audit?.url ?? '').searchParams.get(name);

/** Cases in which the worker misbehaves when it gets an order. */
export const withOrder = {
  'the process id 1': () => send(ofBrowser(1)),
  'the process id 0': () => send(ofBrowser(0)),
  'the process id -1': () => send(ofBrowser(-1)),
  'half a process id': () => send(ofBrowser(4242.5)),
  'a process id of text': () => send(ofBrowser('x')),
  'a path as a process id': () => send(ofBrowser('../../etc')),
  'no process id': () => send(notice('browser', {})),
  "the service's process id": () => send(ofBrowser(process.ppid)),
  'its own process id': () => send(ofBrowser(process.pid)),
  'the process id of a stranger': order => send(ofBrowser(Number(paramOf(order, 'pid')))),
  'the process id of a stranger as its spare browser': order =>
    send(notice('spare', { pid: Number(paramOf(order, 'pid')) })),
  'the process id of a child without a group': () => send(ofBrowser(spawnIdle(false))),
  'the process id of an orphan': async () => send(ofBrowser(await spawnOrphan())),
  'two browsers': () => send(ofBrowser(spawnIdle(true)), ofBrowser(spawnIdle(true))),
  'a stage of a wrong type': () => send(notice('stage', { stage: 1 })),
  'a stage of its own': () => send(notice('stage', { stage: '</script>' })),
  'a pulse of a wrong type': () => send(notice('pulse', { isSilent: 'yes' })),
  'a failure without a message': () => send(failure({ during: 'audit' })),
  'a failure of the service': () => send(failure({ during: 'start', message: 'x' })),
  'a failure in a megabyte': () => send(failure({ during: 'audit', message: 'x'.repeat(2 ** 20) })),
  'a field more': () => send({ ...stage, more: true }),
  'an unknown message': () => send(notice('run', { program: 'sh' })),
  'no object': () => send(null),
  'a list': () => send([stage]),
  'no JSON': () => write('hello\n'),
  'an empty line': () => write('\n'),
  'a second ready': () => send(ready),
  'idle without a result': () => send(idle),
  'the answer to another call': () => send({ ...answer({}), answer: call + 1 }),
  'a result of a wrong type': () => send(answer({ bytes: '1' })),
  'a result of fewer than no bytes': () => send(answer({ bytes: -1 })),
  'a result of more bytes than it may send': () => send(answer({ bytes: 2 ** 30 })),
  'a wait for fewer than no milliseconds': () => send(answer({ data: { processorWait: { waitedMs: -1 } } })),
  'a score beyond all scores': () => {
    const without = { performance: 2, totalBlockingMs: 0 };
    send(answer({ data: { processorWait: { waitedMs: 1, without } } }));
  },
  'a result without end': () => {
    write(`${JSON.stringify(answer({ bytes: 2 ** 26 }))}\n`);
    writeForEver('x'.repeat(2 ** 16));
  },
  'messages without end': () => writeForEver(`${JSON.stringify(stage)}\n`),
  'errors without end': () => {
    for (;;) writeSync(2, 'x'.repeat(2 ** 16));
  },
  'a result that is no JSON': () => send(new ResultText('{'), idle),
  'a result of another shape': () => send(new ResultText('{"audits":{}}'), idle),
  'an empty result': () => send(new ResultText(''), idle),
} satisfies Record<string, (order: WorkerOrder) => void>;

/** Cases in which the worker misbehaves after a correct answer. */
export const afterAnswer = {
  'two results': () => send(result, result),
  'a stage after the result': () => send(result, stage, idle),
  'a browser after the result': () => send(result, ofBrowser(process.ppid), idle),
  'nothing after the result': () => send(result),
  'a message after idle': () => send(result, idle, stage),
  'a second idle': () => send(result, idle, idle),
  'half a message after idle': () => {
    send(result, idle);
    setTimeout(() => write('{'), 100);
  },
} satisfies Record<string, () => void>;

/** Cases in which the worker misbehaves before it is ready. */
export const beforeReady = {
  'a stage before ready': () => send(stage),
  'a result before ready': () => send(result),
  'text before ready': () => write('Hello, this is a worker.\n'),
  'a line without end before ready': () => writeForEver('x'.repeat(2 ** 16)),
} satisfies Record<string, () => void>;

/** Cases that break no rule. */
export const inOrder = {
  'a browser of its own, and then silence': () => send(ofBrowser(spawnIdle(true)), stage),
  'the process id of nobody': () => send(ofBrowser(0x7fff_ffff), result, idle),
  'an answer in good order': () => send(result, idle),
} satisfies Record<string, () => void>;

if (import.meta.main) {
  const behaviours: Record<string, (order: WorkerOrder) => void> = { ...withOrder, ...afterAnswer, ...inOrder };
  const begin = (beforeReady as Record<string, () => void>)[basename(process.argv[1] ?? '', '.ts')];
  toPipeWire(service, { onClose: () => {} }).listen(message => {
    if (!('call' in message)) return;
    call = message.call;
    const order = message.data as WorkerOrder;
    behaviours[paramOf(order, 'do') ?? '']?.(order);
  });
  if (begin) begin();
  else send(ready);
  // The worker stays when the service disconnects; it has to be killed.
  setInterval(() => {}, 60_000);
}
