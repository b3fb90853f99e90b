/** The verdict and the causes of `/compare`. */
import type { Cause } from '../../src/contract/analysis/comparison.ts';
import type { ReAuditOutcome } from '../../src/explain/compare/re-audits/step-points.ts';
import type { Side } from '../../src/explain/compare/side.ts';
import { compareSides } from '../support/builders/compared.ts';
import { buildReAudit } from '../support/builders/re-audit.ts';
import { buildDetails, buildLatency, buildSide } from '../support/builders/side.ts';
import type { Case } from './case.ts';

type Pair = readonly [psi: Side, local: Side, outcome?: ReAuditOutcome];

const askedAtMs = Date.parse('2026-11-20T10:00:00.000Z');
const compare = ([psi, local, outcome = { results: [] }]: Pair) => compareSides(psi, local, { outcome, askedAtMs });

const sayVerdict = (pair: Pair) => () => compare(pair).explanation;
const sayCause = (pair: Pair, name: Cause['cause']) => () =>
  compare(pair).causes.find(({ cause }) => cause === name)?.explanation;

const local = (fields: Parameters<typeof buildSide>[0] = {}): Side => buildSide({ source: 'lighthouse', ...fields });
/** A local load whose Total Blocking Time has this score, from 0 to 1. */
const blocked = (score: number, fields: Parameters<typeof buildSide>[0] = {}): Side =>
  local({ metricScores: [1, 1, score, 1, 1], ...fields });
const slowed = { throttling: { cpuSlowdownMultiplier: 4 } };
const embedded = { analyser: { kind: 'embedded', host: '127.0.0.1:8000' } } as const;
const reAudits = (...blocking: number[]): ReAuditOutcome => ({
  results: blocking.map(score => buildReAudit([1, 1, score, 1, 1])),
});

const cpu: Pair = [buildSide(), blocked(0.2, slowed), reAudits(0.2, 1)];
const cpuInPart: Pair = [buildSide(embedded), blocked(0.2, slowed), reAudits(0.2, 0.6)];
const noReAudit: Pair = [buildSide(), blocked(0.2, slowed), { reason: 'its artifacts were not stored' }];
const network: Pair = [buildSide(), blocked(0.2, { throttling: { rttMs: 300 } }), reAudits(0.2, 0.9)];
const servers: Pair = [
  buildSide({ audits: buildLatency(90) }),
  blocked(0.6, { audits: buildLatency(900) }),
  reAudits(0.6, 0.95),
];
const unknown: Pair = [buildSide(), blocked(0.2)];
const shifts: Pair = [
  buildSide({ audits: [buildDetails('cumulative-layout-shift', {}, { numericValue: 0, score: 1 })] }),
  local({
    metricScores: [1, 1, 1, 0.3, 1],
    audits: [buildDetails('cumulative-layout-shift', {}, { numericValue: 0.31, score: 0.3 })],
  }),
];
const versions: Pair = [buildSide({ lhr: { lighthouseVersion: '12.0.0' } }), blocked(0.2)];
const audits: Pair = [buildSide(), local({ auditScores: [0, 1, 1] })];
const noisy: Pair = [buildSide(), blocked(0.93)];

export const comparisonCases: readonly Case[] = [
  ['equal sides', sayVerdict([buildSide(), local()]), 'Both sides score 100. Accessibility is the same.'],
  [
    'CPU throttling 4× and 1.2×, re-audited',
    sayVerdict(cpu),
    'Local Lighthouse scores 76, Google 100. CPU throttling (4× instead of 1.2×) explains the whole difference. Accessibility is the same.',
  ],
  ['the cause `cpu`', sayCause(cpu, 'cpu'), 'CPU throttling is 1.2× on Google and 4× in local Lighthouse.'],
  [
    'CPU throttling that explains a part',
    sayVerdict(cpuInPart),
    'Local Lighthouse scores 76, PageSpeed Insights settings 100. CPU throttling (4× instead of 1.2×) explains 12 of the 24 points. There is no known cause for the other 12 points. Accessibility is the same. Both sides ran on one machine.',
  ],
  [
    'the remaining points',
    sayCause(cpuInPart, 'unexplained'),
    'No other difference is large enough to explain the remaining points.',
  ],
  [
    'CPU throttling without artifacts',
    sayVerdict(noReAudit),
    'Local Lighthouse scores 76, Google 100. Possible cause: CPU throttling (4× instead of 1.2×). Accessibility is the same. The effect of the settings could not be computed.',
  ],
  [
    'latency 300 ms and 150 ms',
    sayVerdict(network),
    'Local Lighthouse scores 76, Google 100. Network throttling explains 21 of the 24 points. Accessibility is the same.',
  ],
  ['the cause `throttling`', sayCause(network, 'throttling'), 'The two sides simulate different networks.'],
  [
    'servers that take 90 ms and 900 ms',
    sayVerdict(servers),
    'Local Lighthouse scores 88, Google 100. Server response times explain 10.5 of the 12 points. The server took 90 ms to respond on Google and 900 ms in local Lighthouse. Accessibility is the same.',
  ],
  [
    'the cause `server`',
    sayCause(servers, 'server'),
    'Server response times or network distances differ between the two sides.',
  ],
  [
    'no known cause',
    sayVerdict(unknown),
    'Local Lighthouse scores 76, Google 100. There is no known cause for the difference, which is mostly in blocking time. Accessibility is the same.',
  ],
  [
    'layout shifts of 0.31 in one load',
    sayVerdict(shifts),
    'Local Lighthouse scores 83, Google 100. Layout shifts (0 on Google, 0.31 in local Lighthouse) account for the whole difference. Accessibility is the same.',
  ],
  [
    'the cause `layout_shift`',
    sayCause(shifts, 'layout_shift'),
    'Layout shifts cost 17.5 points in local Lighthouse: cumulative layout shift is 0 on Google and 0.31 in local Lighthouse. With only one run on each side, this may also be random variation between loads.',
  ],
  [
    'two versions of Lighthouse',
    sayVerdict(versions),
    'Local Lighthouse scores 76, Google 100. Possible cause: different versions of Lighthouse (12.0.0 on Google, 13.5.0 in local Lighthouse). Accessibility is the same.',
  ],
  [
    'the cause `lighthouse_version`',
    sayCause(versions, 'lighthouse_version'),
    'The two sides run different versions of Lighthouse, which may audit pages and weight scores differently.',
  ],
  [
    'one failed audit',
    sayVerdict(audits),
    'Both sides score 100. Accessibility is 42 points lower in local Lighthouse (image-alt failed in local Lighthouse).',
  ],
  ['the cause `audits`', sayCause(audits, 'audits'), 'One audit has a different result on the two sides: image-alt.'],
  [
    'a difference of 2 points',
    sayVerdict(noisy),
    'Local Lighthouse scores 98, Google 100. The difference is within normal run-to-run variation. Accessibility is the same.',
  ],
  [
    'the cause `run_noise`',
    sayCause(noisy, 'run_noise'),
    'Single runs of one page often differ by up to 5 points: use runs=5 to measure the variation.',
  ],
];
