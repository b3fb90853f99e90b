/**
 * Reads the rules of a robots.txt (RFC 9309). The time for a URL depends on the length of the file alone:
 * `robots-parser` takes seconds for a URL if the rules have many wildcards.
 */
import { matchesWhole } from '../../contract/access/expected-url.ts';

const product = 'rangelight';
const everyone = '*';

type Rule = {
  readonly pattern: string;
  /** Its part before the first wildcard. */
  readonly beginning: string;
  readonly length: number;
  readonly isAllowed: boolean;
};

/** Rules and URLs may be written with and without escapes. */
const normalize = (text: string): string =>
  encodeURI(text.toWellFormed())
    .replaceAll('%25', '%')
    .replaceAll(/%[\da-f]{2}/gi, escaped => escaped.toUpperCase());

function toRule(value: string, isAllowed: boolean): Rule {
  const pattern = normalize(value.endsWith('$') ? value.slice(0, -1) : `${value}*`);
  return { pattern, beginning: pattern.split('*', 1)[0] ?? '', length: value.length, isAllowed };
}

/** Yields the rules with the names of their crawlers, as far as they are this one or all. */
function* rulesIn(text: string): Generator<{ agents: ReadonlySet<string>; rule?: Rule }> {
  let agents = new Set<string>();
  let isNaming = false;
  for (const [, name = '', rest = ''] of text.matchAll(/^[ \t]*(user-agent|allow|disallow)[ \t]*:([^#\r\n]*)/gim)) {
    const [field, value] = [name.toLowerCase(), rest.trim()];
    if (field !== 'user-agent') {
      isNaming = false;
      if (value !== '') yield { agents, rule: toRule(value, field === 'allow') };
      continue;
    }
    if (!isNaming) agents = new Set();
    isNaming = true;
    const [agent = ''] = value.toLowerCase().split(/[\s/]/, 1);
    if (agent === product || agent === everyone) yield { agents: agents.add(agent) };
  }
}

/** Returns whether a robots.txt disallows a URL of its host. The longest rule decides, `Allow` before `Disallow`. */
export function readRules(text: string): (url: string) => boolean {
  const groups = new Map<string, Rule[]>();
  for (const { agents, rule } of rulesIn(text))
    for (const agent of agents) {
      const known = groups.get(agent) ?? [];
      if (rule) known.push(rule);
      groups.set(agent, known);
    }
  const rules = (groups.get(product) ?? groups.get(everyone) ?? []).toSorted(
    (a, b) => b.length - a.length || Number(b.isAllowed) - Number(a.isAllowed),
  );
  return url => {
    const { pathname, search } = new URL(url);
    const path = normalize(pathname + search);
    const isMatch = ({ beginning, pattern }: Rule) => path.startsWith(beginning) && matchesWhole(path, pattern);
    return rules.find(isMatch)?.isAllowed === false;
  };
}
