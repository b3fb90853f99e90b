import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnalysisError } from '../../../contract/errors.ts';
import { createSandbox, isSandboxRefusal, type Sandbox, type SandboxMode } from './sandbox.ts';

type Case = { mode: SandboxMode; loopbackOnly: boolean; isRoot: boolean };

const nobody = { uid: 65534, gid: 65534 };
const yesNo = [true, false];

const cases: readonly Case[] = (['auto', 'on', 'off'] as const).flatMap(mode =>
  yesNo.flatMap(loopbackOnly => yesNo.map(isRoot => ({ mode, loopbackOnly, isRoot }))),
);
const show = ({ mode, loopbackOnly, isRoot }: Case) =>
  `${mode}${loopbackOnly ? ' on loopback' : ''}${isRoot ? ' as root' : ''}`;
/** Returns whether audits may run without the sandbox. */
const mayGoWithout = ({ mode, loopbackOnly }: Case) => mode === 'auto' && loopbackOnly;
const userOf = ({ isRoot }: Case) => (isRoot ? nobody : undefined);

const start = (settings: Case) => {
  const warnings: string[] = [];
  return { sandbox: createSandbox({ ...settings, warn: message => warnings.push(message) }), warnings };
};

const assertUnavailable = (sandbox: Sandbox, name: string) => {
  assert.equal(sandbox.state, 'unavailable', name);
  assert.throws(
    () => sandbox.plan(),
    (error: unknown) =>
      error instanceof AnalysisError &&
      error.code === 'lighthouse_unavailable' &&
      error.message.includes('CHROME_SANDBOX=off'),
    name,
  );
};

test('the first plan has a sandbox unless it is off, and never runs as root', () => {
  for (const each of cases) {
    const { sandbox, warnings } = start(each);
    assert.deepEqual(sandbox.plan(), { user: userOf(each), sandbox: each.mode !== 'off' }, show(each));
    assert.equal(sandbox.state, each.mode === 'off' ? 'off' : 'untested', show(each));
    assert.deepEqual(warnings, []);
  }
});

test('a browser that started as planned confirms the sandbox, or nothing if there is none', () => {
  for (const each of cases) {
    const { sandbox, warnings } = start(each);
    sandbox.confirm();
    assert.equal(sandbox.state, each.mode === 'off' ? 'off' : 'on', show(each));
    assert.deepEqual(sandbox.plan(), { user: userOf(each), sandbox: each.mode !== 'off' }, show(each));
    assert.deepEqual(warnings, []);
  }
});

test('in auto mode, a refused sandbox is given up only on loopback, and the worker stays unprivileged', () => {
  for (const each of cases.filter(mayGoWithout)) {
    const { sandbox, warnings } = start(each);
    assert.equal(sandbox.loseSandbox('the kernel refused it'), true, show(each));
    assert.equal(sandbox.state, 'off');
    assert.deepEqual(sandbox.plan(), { user: userOf(each), sandbox: false }, show(each));
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /WITHOUT Chromium's sandbox: .*the kernel refused it.*CHROME_SANDBOX=off/);
    sandbox.confirm();
    assert.equal(sandbox.state, 'off', 'a start without it confirms nothing');
  }
});

test('otherwise, or if the sandbox is required, a refused one makes audits unavailable, with a message', () => {
  for (const each of cases.filter(given => given.mode !== 'off' && !mayGoWithout(given))) {
    const { sandbox, warnings } = start(each);
    assert.equal(sandbox.loseSandbox('the kernel refused it'), false, show(each));
    assertUnavailable(sandbox, show(each));
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /Local audits are unavailable: .*the kernel refused it.*CHROME_SANDBOX=off/);
  }
});

test('a sandbox that is off cannot be lost', () => {
  for (const each of cases.filter(({ mode }) => mode === 'off')) {
    const { sandbox, warnings } = start(each);
    assert.equal(sandbox.loseSandbox('of no sandbox'), false, show(each));
    assert.equal(sandbox.state, 'off');
    assert.deepEqual(warnings, []);
  }
});

test('a user other than root has no unprivileged user to lose', () => {
  for (const each of cases.filter(({ isRoot }) => !isRoot)) {
    const { sandbox, warnings } = start(each);
    const before = sandbox.plan();
    assert.equal(sandbox.loseUser('EACCES'), false, show(each));
    assert.deepEqual(sandbox.plan(), before);
    assert.deepEqual(warnings, []);
  }
});

test('root whose worker cannot run unprivileged continues as root without the sandbox, if that is allowed', () => {
  for (const each of cases.filter(given => given.isRoot && mayGoWithout(given))) {
    const { sandbox, warnings } = start(each);
    assert.equal(sandbox.loseUser('EACCES'), true, show(each));
    assert.deepEqual(sandbox.plan(), { user: undefined, sandbox: false });
    assert.equal(sandbox.state, 'off');
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /WITHOUT .*cannot run as an unprivileged user \(EACCES\)/);
  }
});

test('root whose worker cannot run unprivileged has no audits if the sandbox is required', () => {
  for (const each of cases.filter(given => given.isRoot && given.mode !== 'off' && !mayGoWithout(given))) {
    const { sandbox, warnings } = start(each);
    assert.equal(sandbox.loseUser('EACCES'), false, show(each));
    assertUnavailable(sandbox, show(each));
    assert.match(warnings.join('\n'), /^Local audits are unavailable: .*unprivileged user \(EACCES\)/);
  }
});

test('root without a sandbox by choice continues as root without a warning', () => {
  for (const each of cases.filter(({ isRoot, mode }) => isRoot && mode === 'off')) {
    const { sandbox, warnings } = start(each);
    assert.equal(sandbox.loseUser('EACCES'), true, show(each));
    assert.deepEqual(sandbox.plan(), { user: undefined, sandbox: false });
    assert.deepEqual(warnings, []);
  }
});

test('sandbox and user can be lost one after the other, with one warning', () => {
  const given: Case = { mode: 'auto', loopbackOnly: true, isRoot: true };
  const { sandbox, warnings } = start(given);
  assert.equal(sandbox.loseSandbox('refused'), true);
  assert.deepEqual(sandbox.plan(), { user: nobody, sandbox: false });
  assert.equal(sandbox.loseUser('EACCES'), true);
  assert.deepEqual(sandbox.plan(), { user: undefined, sandbox: false });
  assert.equal(warnings.length, 1);
});

test('two audits planned with a sandbox that both lose it may both retry, with one warning', () => {
  const { sandbox, warnings } = start({ mode: 'auto', loopbackOnly: true, isRoot: false });
  assert.deepEqual([sandbox.plan().sandbox, sandbox.plan().sandbox], [true, true]);
  assert.deepEqual([sandbox.loseSandbox('refused'), sandbox.loseSandbox('refused')], [true, true]);
  assert.equal(warnings.length, 1);
});

test('two workers planned as the unprivileged user that both cannot start may both retry', () => {
  const { sandbox, warnings } = start({ mode: 'auto', loopbackOnly: true, isRoot: true });
  assert.deepEqual([sandbox.plan().user, sandbox.plan().user], [nobody, nobody]);
  assert.deepEqual([sandbox.loseUser('EACCES'), sandbox.loseUser('EACCES')], [true, true]);
  assert.equal(warnings.length, 1);
});

test('an audit planned with the sandbox may retry if losing the user also lost the sandbox', () => {
  const { sandbox } = start({ mode: 'auto', loopbackOnly: true, isRoot: true });
  assert.equal(sandbox.plan().sandbox, true);
  sandbox.loseUser('EACCES');
  assert.equal(sandbox.loseSandbox('running as root'), true);
  assert.deepEqual(sandbox.plan(), { user: undefined, sandbox: false });
});

test('if audits are unavailable for one audit, they are unavailable for the other', () => {
  const { sandbox } = start({ mode: 'on', loopbackOnly: true, isRoot: true });
  assert.deepEqual([sandbox.loseSandbox('refused'), sandbox.loseSandbox('refused')], [false, false]);
  assert.equal(sandbox.loseUser('EACCES'), false);
  assertUnavailable(sandbox, 'on');
});

test("Chromium's refusals of the sandbox are recognized, other failures are not", () => {
  const refusals = [
    '[1:1:FATAL:zygote_host_impl_linux.cc(128)] No usable sandbox! If you are running on Ubuntu 23.10+',
    'Failed to move to new namespace: PID namespaces supported',
    'Running as root without --no-sandbox is not supported.',
    'The SUID sandbox helper binary was found, but … You can disable the setuid sandbox',
  ];
  for (const text of refusals)
    assert.equal(isSandboxRefusal(`Failed to launch the browser process!\n${text}`), true, text);
  for (const text of ['', 'error while loading shared libraries: libnss3.so', 'Target closed', 'spawn ENOENT'])
    assert.equal(isSandboxRefusal(text), false, text);
});
