/** Reads the `assert` part of a lighthouserc as Lighthouse CI means it, or refuses it with its line. */
import { messageOf } from '../../../contract/errors.ts';
import { requestCategories } from '../../../contract/names.ts';
import { toChoiceHint, toHint } from '../../../contract/nearest-name.ts';
import { isObject, type Json } from '../../../contract/result/details.ts';
import { resourceTypes, type toBudgetMatrix } from './budgets.ts';
import { presetNames, readAuditIds, removedAudits, renamedAudits, toPreset } from './known-audits.ts';
import { mergeDeep } from './layers.ts';

const methods = ['optimistic', 'pessimistic', 'median', 'median-run'] as const;
export type AggregationMethod = (typeof methods)[number];

const limitNames = ['maxLength', 'maxNumericValue', 'minScore'] as const;
export type LimitName = (typeof limitNames)[number];

/** An assertion of Lighthouse CI. `judge-runs.ts` checks it against the Lighthouse results of all runs. */
export type LhciAssertion = {
  /** `PATH:LINE`. */
  readonly at: string;
  /** Audit of the installed Lighthouse, or `categories`, `resource-summary`, `user-timings` with `property`. */
  readonly audit: string;
  readonly property: readonly string[];
  /** A score from 0 to 1, a number of entries, or a value in the unit of the audit. */
  readonly limits: readonly { readonly name: LimitName; readonly expected: number }[];
  readonly method: AggregationMethod;
  readonly isWarning: boolean;
  /** Final URLs of pages that it applies to; undefined for all. */
  readonly pattern: RegExp | undefined;
};

/** Min score of an assertion without a limit. */
const usualScore = 0.9;

/** Receives what was found, each sentence with its line. */
export type Findings = { readonly faults: string[]; readonly notes: string[] };
type AssertionReading = Findings & { readonly known: ReadonlySet<string>; lineOf(pointer: string): string };

/** A text that was refused, to be told with its line. */
class Refused extends Error {}

/** Returns a number, also one as text, which JavaScript and Lighthouse CI compare as the number. */
export function readNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

const levels = ['off', 'warn', 'error'] as const;
type Level = (typeof levels)[number];

const example = 'write ["error", { "minScore": 0.9 }]';

/** Reads `'error'`, or `['warn', { maxNumericValue: 2000 }]`. Lighthouse CI reads what is falsy as off. */
function readLevel(given: unknown): { level: Level; options: Json } {
  if (!given) return { level: 'off', options: {} };
  if (typeof given !== 'string' && !Array.isArray(given)) throw new Refused(`it has no level; ${example}`);
  const [level, options = {}, ...more] = typeof given === 'string' ? [given] : given;
  if (!levels.includes(level as Level)) {
    const said = typeof level === 'string' ? `the level '${level}' is unknown` : 'it has no level';
    throw new Refused(`${said}${typeof level === 'string' ? toChoiceHint(level, levels) : `; ${example}`}`);
  }
  if (!isObject(options) || more.length > 0) throw new Refused(`its limits must be one object; ${example}`);
  return { level: level as Level, options };
}

function readMethod(given: unknown): AggregationMethod {
  const found = methods.find(method => method === (given ?? 'optimistic'));
  if (!found) throw new Refused(`aggregationMethod '${given}' is unknown${toChoiceHint(String(given), methods)}`);
  return found;
}

function readLimits(options: Json): LhciAssertion['limits'] {
  const unknown = Object.keys(options).find(
    name => name !== 'aggregationMethod' && !(limitNames as readonly string[]).includes(name),
  );
  if (unknown !== undefined) throw new Refused(`unknown limit '${unknown}'${toChoiceHint(unknown, limitNames)}`);
  const limits = limitNames
    .filter(name => options[name] !== undefined)
    .map(name => {
      const expected = readNumber(options[name]);
      if (expected === undefined)
        throw new Refused(`${name} is ${JSON.stringify(options[name])}; write a number, without quotes or unit`);
      if (name === 'minScore' && (expected < 0 || expected > 1))
        throw new Refused(`minScore is ${expected}; scores range from 0 to 1, so write ${expected / 100}`);
      return { name, expected };
    });
  return limits.length > 0 ? limits : [{ name: 'minScore', expected: usualScore }];
}

/** Audit and property, or the reason why there is nothing to assert. */
type LhciSubject = { audit: string; property: string[]; note?: string } | { without: string } | { unknown: string };

/** Returns the subject if a part is one of the names. */
const among = (given: string, names: readonly string[], subject: LhciSubject, what: string): LhciSubject =>
  names.includes(given) ? subject : { unknown: `${what} ${given}${toChoiceHint(given, names)}` };

/** Reads an id with parts: `categories:seo`, `resource-summary:script:size`, `user-timings:hero`. */
function toPart(audit: string, property: string[]): LhciSubject {
  const [name = '', unit = '', ...more] = property;
  const subject = { audit, property };
  if (audit === 'categories' && unit === '') {
    if (name === 'pwa') return { without: 'Lighthouse has removed this category' };
    return among(name, requestCategories, subject, 'Lighthouse has no such category');
  }
  if (audit === 'resource-summary' && /^(?:size|count)$/.test(unit) && more.length === 0)
    return among(name, resourceTypes, subject, 'unknown resource type');
  if (audit === 'user-timings') return subject;
  return { unknown: 'write categories:NAME, resource-summary:TYPE:size, resource-summary:TYPE:count or an audit' };
}

function toSubject(id: string, known: ReadonlySet<string>): LhciSubject {
  const [audit = '', ...property] = id.split(/[.:]/).filter(Boolean);
  if (property.length > 0) return toPart(audit, property);
  if (known.has(audit)) return { audit, property };
  const renamed = renamedAudits.get(audit);
  if (renamed !== undefined) return { audit: renamed, property, note: `it is ${renamed} since Lighthouse 13.` };
  if (removedAudits.has(audit))
    return { without: 'Lighthouse has removed this audit, and no other one means the same' };
  const isCategory = (requestCategories as readonly string[]).includes(audit);
  const hint = isCategory ? `; did you mean categories:${audit}?` : toHint(audit, [...known]);
  return { unknown: `Lighthouse has no such audit${hint}` };
}

/** Reads one assertion; undefined if it is off or cannot be asserted, which is noted. @throws Refused */
function readAssertion(
  { id, given, at }: { id: string; given: unknown; at: string },
  { method, pattern }: Pick<LhciAssertion, 'pattern'> & { method: AggregationMethod },
  { known, notes }: AssertionReading,
): LhciAssertion | undefined {
  const { level, options } = readLevel(given);
  if (level === 'off') return undefined;
  const limits = readLimits(options);
  const leaveOut = (why: string): undefined => {
    notes.push(`${at}: ${id}: ${why}. The assertion is left out.`);
  };
  const subject = toSubject(id, known);
  // Lighthouse CI fails at an unknown audit, unless the assertion only warns.
  if ('unknown' in subject && level === 'error') throw new Refused(subject.unknown);
  if ('unknown' in subject) return leaveOut(subject.unknown);
  if ('without' in subject) return leaveOut(subject.without);
  const { audit, property, note } = subject;
  if (note !== undefined && audit.endsWith('-insight') && limits.some(({ name }) => name === 'maxNumericValue'))
    return leaveOut(`${note.replace(/\.$/, '')}, which has no numeric value`);
  if (note !== undefined) notes.push(`${at}: ${id}: ${note}`);
  const ownMethod = options.aggregationMethod === undefined ? method : readMethod(options.aggregationMethod);
  return { at, audit, property, limits, method: ownMethod, isWarning: level === 'warn', pattern };
}

const maxPatternCharacters = 2000;

function readPattern(given: unknown): RegExp | undefined {
  if (given === undefined || given === null || given === '') return undefined;
  if (typeof given !== 'string' && !(given instanceof RegExp)) throw new Refused('matchingUrlPattern must be a string');
  if (String(given).length > maxPatternCharacters)
    throw new Refused(`matchingUrlPattern has more than ${maxPatternCharacters} characters`);
  try {
    return new RegExp(given);
  } catch (error) {
    throw new Refused(`matchingUrlPattern: ${messageOf(error)}`);
  }
}

/** Runs a reader, and adds the line to what it refuses. */
function readAt<T>(at: string, faults: string[], toValue: () => T): T | undefined {
  try {
    return toValue();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    faults.push(`${at}: ${error.message}`);
    return undefined;
  }
}

const entryNames = ['preset', 'assertions', 'aggregationMethod', 'matchingUrlPattern', 'includePassedAssertions'];

/** Reads `assert`, or an entry of `assertMatrix`. */
function readEntry(
  entry: Json,
  pointer: string,
  reading: AssertionReading,
  otherNames: readonly string[],
): LhciAssertion[] {
  const { faults, lineOf, known } = reading;
  const lineAt = (name: string) => lineOf(`${pointer}/${name}`);
  for (const name of Object.keys(entry).filter(name => ![...entryNames, ...otherNames].includes(name))) {
    const isAssertion = name.includes(':') || known.has(name) || renamedAudits.has(name);
    const hint = isAssertion ? '; move it into "assertions"' : toChoiceHint(name, [...entryNames, ...otherNames]);
    faults.push(`${lineAt(name)}: unknown setting '${name}'${hint}`);
  }
  const { preset, assertions = {} } = entry;
  if (!isObject(assertions)) {
    faults.push(`${lineAt('assertions')}: assertions must be an object; write it in { }`);
    return [];
  }
  if (preset !== undefined && !presetNames.includes(preset as string))
    faults.push(`${lineAt('preset')}: the preset ${preset} is unknown${toChoiceHint(String(preset), presetNames)}`);
  const method = readAt(lineAt('aggregationMethod'), faults, () => readMethod(entry.aggregationMethod));
  const pattern = readAt(lineAt('matchingUrlPattern'), faults, () => readPattern(entry.matchingUrlPattern));
  const listed = preset === undefined ? {} : toPreset(String(preset), known);
  if (preset !== undefined)
    reading.notes.push(`${lineAt('preset')}: audits of ${preset} that Lighthouse 13 has removed are left out.`);
  return Object.entries(mergeDeep(listed, assertions) as Json).flatMap(([id, given]) => {
    const at = lineAt(Object.hasOwn(assertions, id) ? `assertions/${id}` : 'preset');
    return (
      readAt(`${at}: ${id}`, faults, () =>
        readAssertion({ id, given, at }, { method: method ?? 'optimistic', pattern }, reading),
      ) ?? []
    );
  });
}

/** Reads the entries of `assertMatrix`, or `assert` itself. */
function readEntries(assert: Json, reading: AssertionReading): LhciAssertion[] {
  const { faults, lineOf } = reading;
  const { assertMatrix: matrix } = assert;
  const names = ['assertMatrix', 'budgetsFile', 'lhr'];
  if (assert.lhr !== undefined)
    reading.notes.push(`${lineOf('/assert/lhr')}: lhr is not used; the results of this run are judged.`);
  if (matrix === undefined) return readEntry(assert, '/assert', reading, names);
  if (!Array.isArray(matrix)) {
    faults.push(`${lineOf('/assert/assertMatrix')}: assertMatrix must be a list; write it in [ ]`);
    return [];
  }
  const others = ['assertions', 'preset', 'budgetsFile', 'aggregationMethod'].filter(name => assert[name]);
  for (const name of others)
    faults.push(
      `${lineOf(`/assert/${name}`)}: Lighthouse CI refuses ${name} next to assertMatrix; move it into its entries`,
    );
  const { assertMatrix: _, assertions: __, ...rest } = assert;
  readEntry(rest, '/assert', reading, names);
  return matrix.flatMap((entry, at) => {
    const pointer = `/assert/assertMatrix/${at}`;
    if (isObject(entry)) return readEntry(entry, pointer, reading, []);
    faults.push(`${lineOf(pointer)}: an entry must be an object; write it in { }`);
    return [];
  });
}

/** Returns the assertions as given, of the file and of each entry of its matrix. */
const valuesOf = (assert: Json): unknown[] =>
  [assert, ...(Array.isArray(assert.assertMatrix) ? assert.assertMatrix : [])].flatMap(entry =>
    isObject(entry) && isObject(entry.assertions) ? Object.values(entry.assertions) : [],
  );

const isOff = (given: unknown): boolean => !given || [given].flat()[0] === 'off';

type Matrix = ReturnType<typeof toBudgetMatrix>;

/**
 * @param sections the parts of `ci`
 * @param budgets entries of `assert.budgetsFile`
 * @returns the assertions; faults and notes are added to the findings
 */
export async function readLhciAssertions(
  sections: Json,
  budgets: Matrix,
  around: Findings & Pick<AssertionReading, 'lineOf'>,
): Promise<LhciAssertion[]> {
  const { faults, notes, lineOf } = around;
  if (sections.assert === undefined && sections.upload !== undefined) {
    notes.push('The file asserts nothing: pages are compared with their baseline only.');
    return [];
  }
  if (sections.assert === undefined)
    notes.push('The file has neither assert nor upload: lighthouse:recommended applies, as with lhci autorun.');
  const { assert = { preset: 'lighthouse:recommended' } } = sections;
  const at = lineOf('/assert');
  if (!isObject(assert)) {
    faults.push(`${at}: assert must be an object; write it in { }`);
    return [];
  }
  if (assert.budgetsFile !== undefined && (assert.assertions || assert.preset))
    faults.push(`${lineOf('/assert/budgetsFile')}: Lighthouse CI refuses budgetsFile next to assertions; remove one`);
  const before = faults.length;
  const read = readEntries(assert, { ...around, known: await readAuditIds() });
  const ofBudgets = budgets.flatMap(({ matchingUrlPattern, assertions }) =>
    assertions.map(({ id, limit, at }): LhciAssertion => {
      const [audit = '', ...property] = id.split(':');
      const limits = [{ name: 'maxNumericValue' as const, expected: limit }];
      const pattern = new RegExp(matchingUrlPattern);
      return { at, audit, property, limits, method: 'optimistic', isWarning: false, pattern };
    }),
  );
  const all = [...read, ...ofBudgets];
  if (all.length > 0 || faults.length > before) return all;
  const given = valuesOf(assert);
  if (given.length > 0 && given.every(isOff)) notes.push(`${at}: every assertion is off, so no page can miss one.`);
  else faults.push(`${at}: nothing is left to assert; add an assertion, or remove "assert"`);
  return all;
}
