/** All assertions of a command: from its options and from a file. */
import { readFileSync } from 'node:fs';
import { type Assertion, isWhole, readAbout, readAssertion } from './assertion.ts';
import { type Measured, readPreset } from './assertion-presets.ts';
import type { Given } from './given.ts';
import type { Wanted } from './wanted.ts';

/** One assertion a line. Blank lines, and lines that begin with `#`, are for people. */
function readFile(path: string | undefined, faults: string[]): string[] {
  if (path === undefined) return [];
  try {
    const lines = readFileSync(path, 'utf8').split(/\r\n|\r|\n/);
    const texts = lines.map(line => line.trim()).filter(line => line !== '' && !line.startsWith('#'));
    // A gate that asserts nothing would let everything through.
    if (texts.length === 0) faults.push(`--assert-file ${path} has no assertion in it`);
    return texts;
  } catch (error) {
    faults.push(`--assert-file cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
}

/** An assertion, or `preset NAME` for several. @throws Error with what is wrong with it */
function readOne(text: string, measured: Measured): readonly Assertion[] {
  const { about, condition } = readAbout(text);
  const [, preset] = /^preset\s+(\S.*)$/i.exec(condition) ?? [];
  return preset === undefined ? [readAssertion(text)] : readPreset(preset, about, measured);
}

/** @throws Error with what is wrong with it */
function readPresetOption(text: string, measured: Measured): readonly Assertion[] {
  const { about, condition } = readAbout(text);
  return readPreset(condition, about, measured);
}

export function readAssertions(
  { assertions, values }: Pick<Given, 'assertions' | 'values'>,
  measured: Measured,
  faults: string[],
): Assertion[] {
  const fromFile = readFile(values['assert-file'], faults).map(text => ({ option: 'assert' as const, text }));
  return [...assertions, ...fromFile].flatMap(({ option, text }) => {
    try {
      return option === 'assert' ? readOne(text, measured) : readPresetOption(text, measured);
    } catch (error) {
      faults.push(`--${option} '${text}': ${error instanceof Error ? error.message : String(error)}`);
      return [];
    }
  });
}

const sayOption = ({ text, preset }: Assertion): string =>
  preset === undefined ? `--assert '${text}'` : `--assert-preset ${preset}`;

/** Requests are measured with the performance; which category an audit is of, Lighthouse says at the end. */
const categoryOf = ({ subject }: Assertion) => {
  if (subject.kind === 'score') return subject.name;
  return subject.kind === 'audit' ? undefined : 'performance';
};

function faultOf(assertion: Assertion, { categories, backend }: Pick<Wanted, 'categories' | 'backend'>): string[] {
  const { side, subject } = assertion;
  const said = sayOption(assertion);
  const sides = { remote: ['psi'], local: ['lighthouse'], compare: ['psi', 'lighthouse'] }[backend];
  if (side && !sides.includes(side)) return [`${said}: ${side} is not measured here`];
  if (isWhole(subject) && backend === 'compare')
    return [`${said}: a comparison comes without the list of requests and audits; measure one side`];
  const needed = assertion.needs ?? categoryOf(assertion);
  return needed && categories && !categories.includes(needed)
    ? [`${said}: it needs the category ${needed}, which --categories leaves out`]
    : [];
}

/** An assertion about what is not measured could never pass. Of a preset each fault is named once. */
export const faultsOfAssertions = (wanted: Pick<Wanted, 'assertions' | 'categories' | 'backend'>): string[] => [
  ...new Set(wanted.assertions.flatMap(assertion => faultOf(assertion, wanted))),
];
