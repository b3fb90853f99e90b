import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWanted } from '../../../test/support/asking/read-wanted.ts';
import { usageFaultsOf } from '../../../test/support/asking/usage-faults.ts';
import { readArguments } from './arguments.ts';
import type { UsageError } from './usage-error.ts';

const read = (...args: string[]) => readWanted('measure', args);

const faultsOf = (...args: string[]) => usageFaultsOf(() => readArguments(args, {}));

test('a URL alone is measured locally, on mobile, and shown as a table', () => {
  const wanted = read('example.com');
  assert.deepEqual(
    [wanted.pages, wanted.backend, wanted.strategies, wanted.format, wanted.server, wanted.noColor],
    [['example.com'], 'local', ['mobile'], 'table', undefined, false],
  );
});

test('options may be anywhere, with their values after a space or an equals sign', () => {
  const wanted = read(
    'a.com',
    '--strategy=both',
    '-',
    '--runs',
    '3',
    '--html',
    '-',
    '--categories',
    'seo, performance',
  );
  assert.deepEqual(wanted.pages, ['a.com', '-']);
  assert.deepEqual([wanted.strategies, wanted.runs, wanted.html], [['mobile', 'desktop'], 3, '-']);
  assert.deepEqual(wanted.categories, ['performance', 'seo']);
  assert.deepEqual(read('--', '--odd').pages, ['--odd']);
});

test('--runs accepts a number or auto, in lower case', () => {
  assert.equal(read('a.com', '--runs', 'auto').runs, 'auto');
  for (const runs of ['AUTO', '0', '6', '2.5', '1e0'])
    assert.match(faultsOf('a.com', '--runs', runs).join(), /--runs must be a number from 1 to 5, or auto/, runs);
});

test('several names for standard output are accepted by --html', () => {
  for (const name of ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']) {
    assert.equal(read('a.com', '--html', name).html, '-');
    assert.match(faultsOf('a.com', '--json', '--html', name).join(), /cannot both go/);
  }
  assert.equal(read('a.com', '--html', '/dev/stderr').html, '/dev/stderr');
});

test('assertions accumulate', () => {
  const { assertions } = read('a.com', '--assert', 'performance>=90', '--assert=LCP<=2.5s');
  assert.deepEqual(
    assertions.map(({ subject, limit }) => [subject.name, limit]),
    [
      ['performance', 90],
      ['largest_contentful_paint', 2500],
    ],
  );
});

test('the key comes from the option, else from the environment', () => {
  const keyOf = (args: string[], env: NodeJS.ProcessEnv) => {
    const command = readArguments(['a.com', ...args], env);
    return command.kind === 'measure' ? command.wanted.apiKey : undefined;
  };
  assert.equal(keyOf([], { RANGELIGHT_API_KEY: 'from-outside' }), 'from-outside');
  assert.equal(keyOf(['--api-key', 'given'], { RANGELIGHT_API_KEY: 'other' }), 'given');
  assert.equal(keyOf([], { RANGELIGHT_API_KEY: '' }), undefined);
});

test('a key that no header can contain is rejected without repeating it', () => {
  const faultsWith = (args: string[], env: NodeJS.ProcessEnv) => {
    try {
      readArguments(['a.com', ...args], env);
    } catch (error) {
      return (error as UsageError).faults;
    }
    return assert.fail('no fault');
  };
  for (const key of [
    'schlüssel→',
    'schlussel→',
    'schlüssel',
    'key\n',
    'key\r\nx: y',
    'a key',
    ' ',
    'key\u007f',
    'key\t',
  ]) {
    for (const [faults, name] of [
      [faultsWith([], { RANGELIGHT_API_KEY: key }), 'RANGELIGHT_API_KEY'],
      [faultsWith(['--api-key', key], { RANGELIGHT_API_KEY: 'fine' }), '--api-key'],
    ] as const)
      assert.deepEqual(
        faults,
        [`${name} contains a space, a line break or a character beyond ASCII, which no key has`],
        JSON.stringify(key),
      );
  }
});

test('the URL of a service is completed', () => {
  for (const [given, base] of [
    ['localhost:8000', 'http://localhost:8000/'],
    ['https://tools.example/light', 'https://tools.example/light/'],
    ['rangelight.example.com', 'https://rangelight.example.com/'],
  ] as const)
    assert.equal(read('a.com', '--server', given).server, base);
});

test('every fault is reported, and unknown names with the most similar one', () => {
  assert.deepEqual(faultsOf('a.com', '--strateg', 'x', '--runs', '9', '--jsno', '--strategy', 'tablet'), [
    'unknown option --strateg; did you mean --strategy?',
    'unknown option --jsno; did you mean --json?',
    "--strategy must be one of mobile, desktop, both, not 'tablet'",
    "--runs must be a number from 1 to 5, or auto, not '9'",
  ]);
});

test('missing, repeated and contradictory options are rejected', () => {
  for (const [args, fault] of [
    [[], /no URL given/],
    [['a.com', '--strategy'], /--strategy needs a value/],
    [['a.com', '--html', '--json'], /--html needs a value/],
    [['a.com', '--html='], /--html needs a value/],
    [['a.com', '--json=yes'], /--json takes no value/],
    [['a.com', '--runs', '1', '--runs', '2'], /--runs is given twice/],
    [['a.com', '--psi', '--compare'], /cannot be combined/],
    [['a.com', '--json', '--ndjson'], /cannot be combined/],
    [['a.com', '--json', '--html', '-'], /cannot both go/],
    [['a.com', '--psi', '--runs', '2'], /not with --psi/],
    [['a.com', '--psi', '--profile', 'psi'], /not with --psi/],
    [['a.com', '--psi', '--exclusive'], /--exclusive applies to local audits/],
    [['a.com', '--exclusive=yes'], /--exclusive takes no value/],
    [['a.com', '--categories', 'speed'], /--categories must be one of performance, .*, not 'speed'/],
    [['a.com', '--categories', 'sео'], /--categories must be one of/],
    [['a.com', '--categories', 'performnce'], /did you mean performance\?/],
    [['a.com', '--assert', 'nonsense'], /--assert 'nonsense'/],
    [['a.com', '--server', 'ftp://a.com'], /--server must be the http or https URL/],
    [['a.com', '--server', 'https://me:secret@a.com'], /without a user name or password/],
    [['a.com', '-x'], /unknown option -x/],
  ] as const)
    assert.match(faultsOf(...args).join('\n'), fault, args.join(' '));
});

test('an assertion about something not measured is rejected before measuring', () => {
  assert.match(faultsOf('a.com', '--categories', 'seo', '--assert', 'performance>=90').join(), /category performance/);
  assert.match(faultsOf('a.com', '--categories', 'seo', '--assert', 'LCP<=2.5s').join(), /category performance/);
  assert.match(faultsOf('a.com', '--assert', 'psi.performance>=90').join(), /psi is not measured here/);
  assert.match(faultsOf('a.com', '--psi', '--assert', 'lighthouse.seo>=90').join(), /lighthouse is not measured here/);
  assert.deepEqual(faultsOf('a.com', '--compare', '--assert', 'psi.seo>=90', '--assert', 'lighthouse.seo>=90'), []);
});

test('no fault repeats a key or a password', () => {
  const faults = faultsOf('--api-kye', 'SECRET', '--api-kye=SECRET', '--server', 'http://u:SECRET@x', '--api-key');
  assert.equal(faults.length, 4);
  assert.doesNotMatch(faults.join(), /SECRET/);
});

test('help, version and serve are separate commands', () => {
  for (const [args, kind] of [
    [['--help', 'a.com'], 'help'],
    [['-h'], 'help'],
    [['--version'], 'version'],
    [['serve', '--port', '1'], 'serve'],
  ] as const)
    assert.equal(readArguments(args, {}).kind, kind);
});

test('the default history is that of the local performance score on mobile', () => {
  const wanted = readWanted('history', ['example.com']);
  const { url, metric, strategy, source, json } = wanted;
  assert.deepEqual(
    [url, metric, strategy, source, json],
    ['https://example.com/', 'performance', 'mobile', 'lighthouse', false],
  );
});

test('metrics have short and long names', () => {
  for (const [name, expected] of [
    ['LCP', 'largest_contentful_paint'],
    ['speed-index', 'speed_index'],
    ['cumulative_layout_shift', 'cumulative_layout_shift'],
    ['SEO', 'seo'],
  ] as const)
    assert.equal(readWanted('history', ['a.com', '--metric', name]).metric, expected);
});

test('options may precede the URL', () => {
  const { id, json, server } = readWanted('show', ['--json', '--server', 'localhost:8000', 'an-id']);
  assert.deepEqual([id, json, server], ['an-id', true, 'http://localhost:8000/']);
});

test('all unknown and missing options are reported together', () => {
  assert.deepEqual(faultsOf('show'), ['rangelight show needs the id of one result']);
  assert.deepEqual(faultsOf('history', 'a.com', 'b.com', '--runs', '3', '--html=x', '--strategy', 'both'), [
    'rangelight history has no option --runs',
    'rangelight history has no option --html',
    'rangelight history needs the URL of one page',
    "--strategy must be one of mobile, desktop, not 'both'",
  ]);
  assert.deepEqual(faultsOf('history', 'a.com', '--metric', 'lcpp'), [
    'unknown score or metric lcpp; did you mean lcp?',
  ]);
  assert.match(faultsOf('history', 'ftp://a.com').join(), /only http and https pages/);
  assert.deepEqual(faultsOf('show', 'x', '--metric', 'LCP'), ['rangelight show has no option --metric']);
});

test('options of a history are rejected for a measurement', () => {
  assert.deepEqual(faultsOf('a.com', '--metric', 'LCP', '--since', '2026-01-01'), [
    '--metric is an option of rangelight experiment and history',
    '--since is an option of rangelight history',
  ]);
});

test('two builds are read in order, with the smallest effects', () => {
  const wanted = readWanted('compare-builds', [
    ...['localhost:3000', 'https://preview.example.com/', '--min-effect', '3 points', '--strict'],
  ]);
  assert.deepEqual(
    [wanted.before, wanted.after, wanted.minEffect, wanted.strict, wanted.strategy, wanted.json],
    ['http://localhost:3000/', 'https://preview.example.com/', { min_effect_points: '3' }, true, 'mobile', false],
  );
  assert.equal(readWanted('compare-builds', ['a.test', 'b.test', '--strategy', 'desktop']).strategy, 'desktop');
  for (const [args, fault] of [
    [['a.test'], /needs two URLs/],
    [['a.test', 'b.test', 'c.test'], /needs two URLs/],
    [['a.test', 'b.test', '--label', 'x'], /compare-builds has no option --label/],
    [['a.test', 'b.test', '--strategy', 'both'], /--strategy/],
  ] as const)
    assert.match(faultsOf('compare-builds', ...args).join('\n'), fault);
});
