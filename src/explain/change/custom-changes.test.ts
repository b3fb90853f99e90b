import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildEntry } from '../../../test/support/builders/entry.ts';
import { toRandom } from '../statistics/random.ts';
import { toCustomChanges } from './custom-changes.ts';

const toSide = (values: readonly number[], name = 'mark:hero', disturbed = false) =>
  values.map(value => buildEntry({ customMetrics: { [name]: value, 'main-thread': 900 + value / 50 }, disturbed }));
const compare = (
  before: ReturnType<typeof toSide>,
  after: ReturnType<typeof toSide>,
  differences: Parameters<typeof toCustomChanges>[2]['differences'] = [],
) => toCustomChanges(before, after, { differences });

test('a mark that is 300 ms later in each of five runs is worse, and the main thread shows no difference', () => {
  const changes = compare(toSide([800, 812, 806, 820, 809]), toSide([1100, 1112, 1106, 1120, 1109]));
  assert.deepEqual([changes['mark:hero']?.status, changes['mark:hero']?.difference], ['worse', 300]);
  assert.ok((changes['mark:hero']?.interval?.low ?? 0) > 250);
  assert.equal(changes['main-thread']?.status, 'no_difference');
});

test('without a change, at most a few of 300 pages with ten marks get a verdict', () => {
  const random = toRandom([7]);
  const runs = () =>
    Array.from({ length: 5 }, () =>
      buildEntry({
        customMetrics: Object.fromEntries(
          Array.from({ length: 10 }, (_, at) => [`mark:m${at}`, 800 + 300 * random() + (random() < 0.1 ? 900 : 0)]),
        ),
      }),
    );
  const claimed = Array.from({ length: 300 }, () => Object.values(compare(runs(), runs()))).filter(changes =>
    changes.some(({ status }) => status === 'better' || status === 'worse'),
  );
  assert.ok(claimed.length <= 12, `${claimed.length} of 300`);
});

test('a mark of one side has a value there and none on the other', () => {
  const { 'mark:old': lost, 'mark:new': found } = compare(toSide([1, 2, 3], 'mark:old'), toSide([4, 5, 6], 'mark:new'));
  assert.deepEqual([lost?.before, lost?.after, lost?.status], [2, null, 'undecided']);
  assert.deepEqual([found?.before, found?.after, found?.status], [null, 5, 'undecided']);
});

test('unlike conditions and disturbed runs give no verdict', () => {
  const [before, after] = [
    [800, 812, 806, 820, 809],
    [1100, 1112, 1106, 1120, 1109],
  ] as const;
  const unlike = compare(toSide(before), toSide(after), [{ effect: 'no_verdict' }]);
  assert.equal(unlike['mark:hero']?.status, 'undecided');
  assert.equal(compare(toSide(before), toSide(after, 'mark:hero', true))['mark:hero']?.status, 'undecided');
  const quiet = compare([...toSide(before), ...toSide([9000], 'mark:hero', true)], toSide(before));
  assert.equal(quiet['mark:hero']?.before, 809);
});
