/**
 * Converts stored answers of version 2.0 to the current field names. docs/internals/decisions/032-names.md contains all
 * of them. The store does not rewrite the answers, so that the previous version can still read the same database.
 */
import { isObject } from '../../contract/result/details.ts';

type Json = Record<string, unknown>;

const environmentNames = {
  machine_id: 'boot_id',
  left_out: 'skipped',
  attempt: 'attempts',
  benchmark_usual: 'benchmark_median',
} as const;
const runNames = { asked: 'requested', chosen: 'selected', chosen_by: 'selected_by' } as const;
const resultNames = { usual_cpu: 'default_cpu' } as const;
const comparisonNames = { verdict: 'explanation' } as const;

const rename = (value: Json, names: Readonly<Record<string, string>>): Json =>
  Object.fromEntries(Object.entries(value).map(([name, field]) => [names[name] ?? name, field]));

const renameIn = (value: Json, name: string, names: Readonly<Record<string, string>>): Json =>
  isObject(value[name]) ? { ...value, [name]: rename(value[name], names) } : value;

const toCurrentResult = (result: Json): Json =>
  renameIn(renameIn(rename(result, resultNames), 'environment', environmentNames), 'runs', runNames);

const toCurrent = (answer: Json): Json => {
  const { psi, lighthouse } = answer;
  if (!isObject(psi) || !isObject(lighthouse)) return toCurrentResult(answer);
  const sides = { psi: toCurrentResult(psi), lighthouse: toCurrentResult(lighthouse) };
  return renameIn({ ...answer, ...sides }, 'comparison', comparisonNames);
};

/** Matches only names of fields, because a quotation mark inside a text is escaped. */
const olderName = new RegExp(
  `"(${Object.keys({ ...environmentNames, ...runNames, ...resultNames, ...comparisonNames }).join('|')})":`,
);

/**
 * Renames the fields of a stored answer.
 * @param summary JSON of a result, a failure or a comparison, of this version or an older one
 */
export function toCurrentNames(summary: string): string {
  if (!olderName.test(summary)) return summary;
  const answer: unknown = JSON.parse(summary);
  return isObject(answer) ? JSON.stringify(toCurrent(answer)) : summary;
}
