import { maxLabelCharacters } from '../../contract/limits.ts';
import { isResultId } from './result-id.ts';
import { entryKinds, type NewEntry } from './store.ts';

const maxUrlCharacters = 2048;
/** Two results of less than 40 KB each, and what sets them apart. */
const maxSummaryBytes = 128 * 1024;
const maxFullBytes = 32 * 1024 * 1024;

const isBetween = (value: number, min: number, max: number): boolean => value >= min && value <= max;
const isPlainText = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text);
const charactersOf = (text: string): number => [...text].length;

const isLabel = (label: string | null): boolean =>
  label === null || (isPlainText(label) && isBetween(charactersOf(label), 1, maxLabelCharacters));

const rules: readonly (readonly [name: string, isFine: (entry: NewEntry) => boolean])[] = [
  ['The id is not a UUID of version 7.', ({ id }) => isResultId(id)],
  ['The group is not a UUID of version 7.', ({ groupId }) => groupId === null || isResultId(groupId)],
  ['The kind is unknown.', ({ kind }) => entryKinds.includes(kind)],
  ['The URL is empty or too long.', ({ url }) => isPlainText(url) && isBetween(url.length, 1, maxUrlCharacters)],
  ['The label is empty, longer than 100 characters, or has control characters.', ({ label }) => isLabel(label)],
  ['The time is not in milliseconds.', ({ measuredAtMs: at }) => Number.isSafeInteger(at) && at >= 0],
  [
    'The summary is larger than 128 KB.',
    ({ summary }) => isBetween(Buffer.byteLength(summary), 2, maxSummaryBytes) && summary.isWellFormed(),
  ],
  ['The whole result is larger than 32 MB.', ({ full }) => full === null || full.bytes.byteLength <= maxFullBytes],
  [
    'A score or a metric is not a number.',
    ({ scores, metrics }) =>
      [...Object.values(scores), ...Object.values(metrics)].every(value => value === null || Number.isFinite(value)),
  ],
];

/** Both engines refuse the same entries, for the same reason; undefined where there is none. */
export const findEntryProblem = (entry: NewEntry): string | undefined =>
  rules.find(([, isFine]) => !isFine(entry))?.[0];
