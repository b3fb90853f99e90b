/** Measurements and outputs that a command requests. */
import type { Backend } from '../../api-client/page-request.ts';
import type { CpuChoice, Profile, RequestCategory, Strategy } from '../../contract/names.ts';
import type { Assertion } from './assertion.ts';
import type { MinEffect } from './min-effect.ts';

export type Wanted = {
  /** Pages as given; `-` is standard input. */
  readonly pages: readonly string[];
  /** File of URLs. */
  readonly file: string | undefined;
  readonly backend: Backend;
  readonly strategies: readonly Strategy[];
  /** Requested categories; undefined for all but agentic browsing. */
  readonly categories: readonly RequestCategory[] | undefined;
  readonly runs: number | 'auto' | undefined;
  readonly profile: Profile | undefined;
  /** CPU throttling of local mobile audits. */
  readonly cpu: CpuChoice | undefined;
  /** Whether nothing else runs on the machine during each measurement. */
  readonly isExclusive: boolean;
  /** Label of the results. */
  readonly label: string | undefined;
  /** Label or result id to compare the new results with. */
  readonly baseline: string | undefined;
  /** Smallest difference from the baseline that matters; empty for the service's default. */
  readonly minEffect: MinEffect;
  /** Whether an undecided verdict about the baseline also fails the command. */
  readonly isStrict: boolean;
  /** URL of a running service, ending with a slash; undefined for a service of the command's own. */
  readonly server: string | undefined;
  readonly apiKey: string | undefined;
  readonly format: 'table' | 'json' | 'ndjson';
  /** Path of the HTML reports: a file, a folder, or `-`. */
  readonly html: string | undefined;
  /** Files for pipelines. */
  readonly junit: string | undefined;
  readonly markdown: string | undefined;
  readonly assertions: readonly Assertion[];
  /** Whether to list every finding with its tables, not only the first ones. */
  readonly isAll: boolean;
  readonly isQuiet: boolean;
  readonly hasColor: boolean | undefined;
};
