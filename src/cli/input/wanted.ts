/** What a command is asked to measure, and what comes out. */
import type { Backend } from '../../api-client/page-request.ts';
import type { CpuChoice, Profile, RequestCategory, Strategy } from '../../contract/names.ts';
import type { Assertion } from './assertion.ts';
import type { MinEffect } from './min-effect.ts';

export type Wanted = {
  /** As they were given; `-` stands for the standard input. */
  readonly pages: readonly string[];
  /** A file of addresses. */
  readonly file: string | undefined;
  readonly backend: Backend;
  readonly strategies: readonly Strategy[];
  /** Undefined for all. */
  readonly categories: readonly RequestCategory[] | undefined;
  readonly runs: number | 'auto' | undefined;
  readonly profile: Profile | undefined;
  /** How much the processor of the local phone is slowed down. */
  readonly cpu: CpuChoice | undefined;
  /** Whether nothing runs on the machine next to each measurement. */
  readonly isExclusive: boolean;
  /** Label of the results. */
  readonly label: string | undefined;
  /** A label, or the id of a result: what the new results are compared with. */
  readonly baseline: string | undefined;
  /** Which difference from the baseline matters; empty for what the service takes. */
  readonly minEffect: MinEffect;
  /** Whether a baseline that leaves the verdict open fails the command, too. */
  readonly isStrict: boolean;
  /** Base of a running service, with a slash at its end; undefined for one of our own. */
  readonly server: string | undefined;
  readonly apiKey: string | undefined;
  readonly format: 'table' | 'json' | 'ndjson';
  /** A file, a folder, or `-`. */
  readonly html: string | undefined;
  /** Files for pipelines. */
  readonly junit: string | undefined;
  readonly markdown: string | undefined;
  readonly assertions: readonly Assertion[];
  /** Every finding with its tables, not only the first. */
  readonly isAll: boolean;
  readonly isQuiet: boolean;
  readonly hasColor: boolean | undefined;
};
