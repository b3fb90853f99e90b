import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isBadPort, portOf } from './endpoint.ts';
import { toPageUrl } from './page-url.ts';
import { createPolicy, type TargetPolicy, type Targets } from './policy.ts';

// Kept outside of this project; see ../shared.
const VECTORS = fileURLToPath(new URL('../../../../shared/data/url-policy-vectors.json', import.meta.url));

const SETTINGS = {
  public_only: 'public',
  allow_list: ['app.internal', 'localhost', '10.20.0.0/16', '127.0.0.0/8', '::1/128'],
  allow_all: 'any',
} as const satisfies Record<string, Targets>;

type Judgement = 'accept' | 'reject';
type Vector = Readonly<Record<keyof typeof SETTINGS, Judgement>> & {
  readonly input: unknown;
  readonly stage: 'parse' | 'policy' | 'resolve' | 'ok' | 'connect';
  readonly canonical?: string;
  readonly dns?: Readonly<Record<string, readonly string[]>>;
  readonly dns_sequence?: readonly (readonly string[])[];
  readonly redirect_to?: string;
  readonly script_navigates_to?: string;
  readonly subrequest_allowed?: string;
  readonly subrequest_denied?: string;
  readonly self_port?: number;
};

function readVectors(): Vector[] {
  return JSON.parse(readFileSync(VECTORS, 'utf8')) as Vector[];
}

function canonicalOf(input: unknown): string | undefined {
  const result = typeof input === 'string' ? toPageUrl(input) : undefined;
  return result && 'href' in result ? result.href : undefined;
}

// A name without stub answers stands for a public page, or for this machine.
function answersOf(vector: Vector, url: URL): readonly (readonly string[])[] {
  if (vector.dns_sequence) return vector.dns_sequence;
  const host = url.hostname.replace(/\.$/, '');
  if (host.startsWith('[') || /^[\d.]+$/.test(host)) return [[host.replace(/[[\]]/g, '')]];
  if (host === 'localhost' || host.endsWith('.localhost')) return [['127.0.0.1', '::1']];
  return [vector.dns?.[host] ?? ['93.184.216.34']];
}

// An audit that began on a public page never leaves the public pages, whatever the setting.
function auditPolicyOf(policy: TargetPolicy, vector: Vector, href: string): TargetPolicy {
  return policy.isPublicUrl(href) ? createPolicy({ targets: 'public', ownPort: () => vector.self_port }) : policy;
}

function judge(vector: Vector, targets: Targets): Judgement {
  const href = canonicalOf(vector.input);
  const policy = createPolicy({ targets, ownPort: () => vector.self_port, localAddresses: () => [] });
  if (href === undefined || !policy.judgeUrl(href).allowed) return 'reject';
  const url = new URL(href);
  const answers = answersOf(vector, url).map(addresses => policy.judgeAddresses(url.hostname, portOf(url), addresses));
  const auditPolicy = auditPolicyOf(policy, vector, href);
  const hops = [vector.redirect_to, vector.script_navigates_to, vector.subrequest_allowed].filter(
    hop => hop !== undefined,
  );
  const verdicts = [...answers, ...hops.map(hop => auditPolicy.judgeUrl(hop))];
  return verdicts.every(verdict => verdict.allowed) ? 'accept' : 'reject';
}

// A page that redirects to itself is refused for the number of its redirects, which the browser counts.
function isRedirectLoop(vector: Vector): boolean {
  return vector.redirect_to !== undefined && vector.redirect_to === vector.input;
}

test('every shared vector has its verdict under the three settings', t => {
  if (!existsSync(VECTORS)) return t.skip('../shared/data/url-policy-vectors.json is not here');
  const mismatches = readVectors()
    .filter(vector => !isRedirectLoop(vector))
    .flatMap(vector =>
      (Object.keys(SETTINGS) as (keyof typeof SETTINGS)[])
        .filter(setting => judge(vector, SETTINGS[setting]) !== vector[setting])
        .map(setting => ({ input: vector.input, setting, expected: vector[setting] })),
    );
  assert.deepEqual(mismatches, []);
});

test('every shared vector is rejected at its own stage, or has its canonical form', t => {
  if (!existsSync(VECTORS)) return t.skip('../shared/data/url-policy-vectors.json is not here');
  for (const vector of readVectors()) {
    const { canonical, stage, input } = vector;
    // The policy would refuse a bad port as well; the parse is earlier, and answers 422.
    const isRefusedEarly = stage === 'parse' || (canonical !== undefined && isBadPort(portOf(new URL(canonical))));
    const href = canonicalOf(input);
    if (isRefusedEarly) assert.equal(href, undefined, String(input));
    else assert.equal(href, canonical ?? href ?? 'refused', String(input));
  }
});

test('a target that a shared vector forbids is blocked', t => {
  if (!existsSync(VECTORS)) return t.skip('../shared/data/url-policy-vectors.json is not here');
  for (const { subrequest_denied: href } of readVectors()) {
    if (href !== undefined) assert.equal(createPolicy({ targets: 'any' }).judgeUrl(href).allowed, false, href);
  }
});
