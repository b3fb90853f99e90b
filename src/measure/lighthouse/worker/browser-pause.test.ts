import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { Browser } from 'puppeteer-core';
import { createBrowserPause } from './browser-pause.ts';

const create = () => {
  const signals: boolean[] = [];
  return { signals, pause: createBrowserPause({} as Browser, (_, isPaused) => signals.push(isPaused)) };
};

test('a browser is paused only while it gathers an artifact without a time limit of its own', () => {
  const { signals, pause } = create();
  pause.want(true);
  pause.gather('RobotsTxt');
  assert.deepEqual(signals, [], 'its fetch would time out');
  pause.gather('Accessibility');
  assert.deepEqual(signals, [true]);
  pause.want(false);
  pause.gather('ImageElements');
  pause.want(true);
  assert.deepEqual(signals, [true, false]);
});

test('all pauses together take ten seconds at most', t => {
  const timers = mock.timers;
  timers.enable({ apis: ['setTimeout'] });
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  t.after(() => timers.reset());
  const pass = (ms: number) => {
    nowMs += ms;
    timers.tick(ms);
  };
  const { signals, pause } = create();
  pause.gather('AnchorElements');
  pause.want(true);
  pass(6000);
  pause.want(false);
  pause.want(true);
  assert.deepEqual(signals, [true, false, true]);
  pass(4000);
  assert.deepEqual(signals, [true, false, true, false]);
  pause.want(false);
  pause.gather('Accessibility');
  pause.want(true);
  assert.equal(signals.length, 4);
});

test('a browser that is to end is resumed for good', () => {
  const { signals, pause } = create();
  pause.gather('FullPageScreenshot');
  pause.want(true);
  pause.stop();
  pause.gather('Accessibility');
  assert.deepEqual(signals, [true, false]);
});
