import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWanted } from '../../../test/support/asking/read-wanted.ts';
import { usageFaultsOf } from '../../../test/support/asking/usage-faults.ts';

const faultsOf = (...args: string[]): string =>
  usageFaultsOf(() => readWanted('experiment', args)).join('\n') || assert.fail('accepted');

test('changes belong to one variant, and --variant starts another', () => {
  const { url, strategy, profile, metric, variants, json } = readWanted('experiment', [
    ...['--block', 'ads.example', 'localhost:3000', '--block=tag.js', '--metric', 'TBT', '--json'],
    ...['--variant', 'preview', '--variant-url', 'localhost:3001', '--header', 'X-Build: a: b', '--strategy=desktop'],
    ...['--variant', 'hints', '--recipe', 'defer=app.js', '--recipe', 'fetch-priority=hero.jpg high'],
    ...['--recipe', 'font-display', '--recipe', 'find-and-replace=a=b=>c=>d'],
  ]);
  assert.deepEqual(
    [url, strategy, profile, metric, json],
    ['http://localhost:3000/', 'desktop', 'lighthouse', 'total_blocking_time', true],
  );
  assert.deepEqual(variants, [
    { block: ['ads.example', 'tag.js'] },
    { name: 'preview', url: 'http://localhost:3001/', headers: { 'X-Build': 'a: b' } },
    {
      name: 'hints',
      recipes: [
        { name: 'defer', url: 'app.js' },
        { name: 'fetch-priority', url: 'hero.jpg', value: 'high' },
        { name: 'font-display' },
        { name: 'find-and-replace', find: 'a=b', replace: 'c=>d' },
      ],
    },
  ]);
});

const block = ['--block', 'a.js'];
const manyVariants = (count: number) =>
  Array.from({ length: count }, (_, at) => ['--variant', `v${at}`, ...block]).flat();

test('each invalid argument is reported in a sentence', () => {
  const cases: [args: string[], fault: RegExp][] = [
    [['a.test'], /needs a change: --block, --variant-url, --recipe or --header/],
    [['a.test', 'b.test', ...block], /needs the URL of one page/],
    [block, /needs the URL of one page/],
    [['a.test', ...manyVariants(6)], /at most 5 variants, not 6/],
    [['a.test', ...block, '--variant', 'empty'], /--variant 'empty' has no change after it/],
    [['a.test', '--block', '--json'], /--block needs a value/],
    [['a.test', '--recipe', 'lazy=a.png'], /unknown recipe lazy.*; recipes are defer, async/],
    [['a.test', '--recipe', 'defr=a.js'], /did you mean defer\?/],
    [['a.test', '--recipe', 'find-and-replace=a'], /needs both texts/],
    [['a.test', '--recipe', 'font-display=optional'], /needs stylesheets before its value: 'font-display=\* optional'/],
    [
      ['a.test', ...block, '--metric', 'CLS'],
      /--metric must be performance, FCP, LCP, SI, TBT, TTFB or a custom metric such as mark:NAME, not 'CLS'/,
    ],
    [['a.test', ...block, '--runs', '5'], /experiment has no option --runs/],
    [['a.test', ...block, '--assert', 'LCP<1'], /experiment has no option --assert/],
  ];
  for (const [args, fault] of cases) assert.match(faultsOf(...args), fault);
  const secret = faultsOf('a.test', '--header', 'Bearer secret-key');
  assert.match(secret, /--header needs a name and a value/);
  assert.doesNotMatch(secret, /secret/);
});
