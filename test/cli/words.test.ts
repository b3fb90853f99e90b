/** Help, version and errors of the command, before it measures anything. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findClosedPort } from '../support/sites/local-server.ts';
import { runCli, runCliProcess } from './run-cli.ts';

test('--help lists every option and exit code, --version prints the version', async t => {
  const [help, version] = await Promise.all([runCliProcess(t, ['--help']), runCli(t, ['-v'])]);
  assert.deepEqual([help.code, help.stderr, version.code, version.stderr], [0, '', 0, '']);
  for (const word of [
    '--psi',
    '--compare',
    '--assert',
    '--html',
    '--ndjson',
    'NO_COLOR',
    'rangelight serve',
    '  130  ',
  ])
    assert.ok(help.stdout.includes(word), word);
  assert.deepEqual(
    help.stdout.split('\n').filter(line => line.length > 80),
    [],
  );
  assert.equal(version.stdout, '2.0.0\n');
});

test('each command has its own help, in 80 columns', async t => {
  for (const command of ['history', 'show', 'compare-builds', 'experiment', 'what-if']) {
    const { code, stdout } = await runCli(t, [command, '--help']);
    assert.equal(code, 0);
    assert.ok(stdout.includes(`rangelight ${command} [options]`), stdout);
    assert.ok(!stdout.includes('--assert'), stdout);
    assert.deepEqual(
      stdout.split('\n').filter(line => line.length > 80),
      [],
    );
  }
});

test('serve is the service, with its own flags and help', async t => {
  const help = await runCliProcess(t, ['serve', '--help']);
  assert.equal(help.code, 0);
  assert.match(help.stdout, /--lighthouse-timeout, LIGHTHOUSE_TIMEOUT/);
  const wrong = await runCliProcess(t, ['serve', '--port', 'eighty']);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /PORT/);
});

test('wrong usage exits with 2 and prints only to standard error', async t => {
  const cases: [string[], RegExp, string?][] = [
    [[], /no URL given/],
    [['--jsno', 'localhost'], /unknown option --jsno; did you mean --json\?/],
    [['localhost', 'http://', 'mailto:a@b.c'], /'http:\/\/' is not .*\n.*'mailto:a@b\.c' is not/],
    [['ht\u001b[2Jtp://x y'], /is not the URL of a page/],
    [['localhost', 'not a url at all'], /'not a url at all' is not the URL of a page: it contains a space/],
    [['--file', '-'], /'two words' is not the URL of a page: .*commas/, 'localhost\ntwo words\nlocalhost:1\n'],
    [['--file', '/no/such/file'], /--file \/no\/such\/file does not exist/],
    [['-'], /contains no URLs/, '\n# only words\n\n'],
    [['localhost', '--assert-preset', 'good-vital'], /unknown preset good-vital; did you mean good-vitals\?/],
    [['localhost', '--all', '--json'], /--all applies to tables/],
    [['localhost', '--strict'], /--strict requires --baseline or --assert/],
    [['localhost', '--baseline', 'v1', '--min-effect', '3'], /--min-effect must be in points, ms or percent/],
    [['compare-builds', 'localhost'], /compare-builds needs two URLs/],
    [['compare-builds', 'localhost:3000', 'localhost:3001', '--label', 'x'], /compare-builds has no option --label/],
    [['experiment', 'localhost'], /experiment needs a change: --block/],
    [['experiment', 'localhost', '--block', 'a.js', '--runs', '5'], /experiment has no option --runs/],
    [['what-if'], /what-if needs the URL of one page, or the id of one result/],
    [['what-if', 'localhost', '--label', 'x'], /what-if has no option --label/],
    [['localhost', '--html', '/no/such/folder/x.html'], /no folder|not a folder/],
    [['localhost', '127.0.0.1', '--html', '-'], /--html - accepts one result/],
    [['localhost', '--strategy', 'both', '--html', 'package.json'], /must be a folder/],
  ];
  for (const [args, sentence, input] of cases) {
    const { code, stdout, stderr } = await runCli(t, args, input === undefined ? {} : { input });
    assert.deepEqual([code, stdout], [2, ''], args.join(' '));
    assert.match(stderr, sentence);
    assert.doesNotMatch(stderr.replaceAll('\n', ''), /\p{Cc}| {4}at /u);
  }
});

test('a key that cannot be sent is wrong usage, and is not repeated', async t => {
  for (const key of ['schlüssel→', 'two\nlines']) {
    const end = await runCli(t, ['localhost', '--server', await findClosedPort()], {
      environment: { RANGELIGHT_API_KEY: key },
    });
    assert.deepEqual([end.code, end.stdout], [2, '']);
    assert.match(end.stderr, /^rangelight: RANGELIGHT_API_KEY contains .*\nrangelight --help explains it\.\n$/);
    assert.doesNotMatch(end.stderr, /schl|two|lines/);
  }
});

test('wrong settings in the environment are wrong usage', async t => {
  const { code, stderr } = await runCli(t, ['localhost'], { environment: { LIGHTHOUSE_CONCURRENCY: '9' } });
  assert.equal(code, 2);
  assert.match(stderr, /LIGHTHOUSE_CONCURRENCY/);
});

test('a service that does not answer is a failed analysis', async t => {
  const server = await findClosedPort();
  const { code, stdout, stderr } = await runCli(t, ['localhost', '--server', server, '--quiet']);
  assert.equal(code, 3);
  assert.match(stdout, /no_connection/);
  assert.equal(stderr, '');
  for (const format of ['--json', '--ndjson']) {
    const end = await runCli(t, ['localhost', '--server', server, '--quiet', format]);
    assert.equal(end.code, 3);
    const problem = JSON.parse(end.stdout);
    assert.equal((problem.error ?? problem).detail, `No service responds at ${new URL(server).host}.`);
  }
});
