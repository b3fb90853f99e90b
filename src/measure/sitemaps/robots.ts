/**
 * Reads the rules of a robots.txt (RFC 9309). The time for a URL depends on the length of the file alone:
 * `robots-parser` takes seconds for a URL if the rules have many wildcards.
 */
import { matchesWhole } from '../../contract/access/expected-url.ts';

type RobotsRule = {
  readonly pattern: string;
  /** Its part before the first wildcard. */
  readonly beginning: string;
  readonly length: number;
  readonly isAllowed: boolean;
};

/** Rules and URLs may be written with and without escapes: those of letters, digits and `-._~` mean the same. */
const normalize = (text: string): string =>
  encodeURI(text.toWellFormed())
    .replaceAll('%25', '%')
    .replaceAll(/%(?:2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/gi, decodeURIComponent)
    .replaceAll(/%[\da-f]{2}/gi, escaped => escaped.toUpperCase());

function toRule(value: string, isAllowed: boolean): RobotsRule {
  const pattern = normalize(value.endsWith('$') ? value.slice(0, -1) : `${value}*`);
  return { pattern, beginning: pattern.split('*', 1)[0] ?? '', length: normalize(value).length, isAllowed };
}

/** Returns whether a robots.txt disallows a URL of its host. The longest rule decides, `Allow` before `Disallow`. */
export function readRules(text: string): (url: string) => boolean {
  const groups = new Map<string, RobotsRule[]>();
  const agents = new Set<string>();
  let isNaming = false;
  for (const [, field = '', rest = ''] of text.matchAll(/^[ \t]*(user-agent|allow|disallow)[ \t]*:([^#\r\n]*)/gim)) {
    const value = rest.trim();
    const isName = /^user/i.test(field);
    if (isName && !isNaming) agents.clear();
    isNaming = isName;
    // The names of all other crawlers are one.
    if (isName) agents.add(/^(?:rangelight(?=[\s/]|$)|\*)/i.exec(value)?.[0].toLowerCase() ?? '');
    for (const agent of agents) {
      const group = groups.get(agent) ?? [];
      if (!isName && value !== '') group.push(toRule(value, /^allow/i.test(field)));
      groups.set(agent, group);
    }
  }
  const rules = (groups.get('rangelight') ?? groups.get('*') ?? []).toSorted(
    (a, b) => b.length - a.length || Number(b.isAllowed) - Number(a.isAllowed),
  );
  return url => {
    const { pathname, search } = new URL(url);
    const path = normalize(pathname + search);
    const isMatch = ({ beginning, pattern }: RobotsRule) => path.startsWith(beginning) && matchesWhole(path, pattern);
    return rules.find(isMatch)?.isAllowed === false;
  };
}
