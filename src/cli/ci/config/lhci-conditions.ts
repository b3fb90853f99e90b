/** Converts the settings of a lighthouserc that are conditions of a load. */
import { isObject, type Json } from '../../../contract/result/details.ts';
import type { Findings } from './lhci-assertions.ts';

/** The setting that states each condition. */
export const conditionSettings = {
  block: 'blockedUrlPatterns',
  access: 'extraHeaders',
  hosts: 'chromeFlags',
  certificates: 'chromeFlags',
} as const;

/** Reads headers, which may be JSON in a string. */
function readHeaders(given: unknown): Json | undefined {
  try {
    const read = typeof given === 'string' ? JSON.parse(given) : given;
    return isObject(read) && Object.values(read).every(value => typeof value === 'string') ? read : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the header `Cookie` as cookies, which a browser replaces and deletes as usual. */
const toCookies = (header: string) =>
  header.split(';').flatMap(pair => {
    const [, name, value = ''] = /^\s*([^=]+)=(.*)$/s.exec(pair) ?? [];
    return name === undefined ? [] : [{ name: name.trim(), value: value.trim() }];
  });

function toAccess(given: unknown, at: string, { faults, notes }: Findings): Json {
  if (given === undefined || given === null) return {};
  const headers = readHeaders(given);
  if (!headers) {
    faults.push(`${at}: extraHeaders must be an object of strings, or JSON of one`);
    return {};
  }
  notes.push(`${at}: extraHeaders are sent to the origin of the page only, not to third parties.`);
  const entries = Object.entries(headers);
  const others = entries.filter(([name]) => name.toLowerCase() !== 'cookie');
  const cookies = entries.flatMap(([name, value]) => (name.toLowerCase() === 'cookie' ? toCookies(`${value}`) : []));
  return {
    access: {
      ...(others.length > 0 ? { headers: Object.fromEntries(others) } : {}),
      ...(cookies.length > 0 ? { cookies } : {}),
    },
  };
}

const splitFlags = (given: unknown): string[] =>
  [given]
    .flat()
    .flatMap(text => `${text ?? ''}`.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [])
    .map(flag => flag.replaceAll(/["']/g, ''));

/** Reads the flags of Chrome that a load can have; others become notes. */
function fromFlags(given: unknown, at: string, { notes }: Findings): Json {
  const conditions: { certificates?: Json; hosts?: Record<string, string> } = {};
  for (const flag of splitFlags(given)) {
    const [, rules] = /^--host-resolver-rules=(.*)$/.exec(flag) ?? [];
    const maps = rules?.split(',').map(rule => /^\s*MAP\s+([^\s*]+)\s+(\S+)\s*$/i.exec(rule));
    if (flag === '--ignore-certificate-errors') conditions.certificates = { ignore_errors: true };
    else if (maps?.every(map => map !== null))
      conditions.hosts = Object.fromEntries(maps.map(([, name = '', address = '']) => [name, address]));
    else notes.push(`${at}: the Chrome flag ${flag} has no counterpart and is not used.`);
  }
  return conditions;
}

/** @param at returns `PATH:LINE` of a setting */
export function toLhciConditions(settings: Json, at: (name: string) => string, findings: Findings): Json {
  const { blockedUrlPatterns: block, extraHeaders, chromeFlags } = settings;
  return {
    ...(block === undefined || block === null ? {} : { block: [block].flat() }),
    ...toAccess(extraHeaders, at('extraHeaders'), findings),
    ...fromFlags(chromeFlags, at('chromeFlags'), findings),
  };
}
