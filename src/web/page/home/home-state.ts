/** State of the overview, and the actions of the user. */
import type {
  HomeRequest,
  NamedJob,
  Schedule,
  ScheduleChoices,
  ScheduleStep,
  Watched,
  Webhook,
} from '../../../api-client/stored/home.ts';
import type { Health } from '../../../contract/health.ts';
import type { JobAnswer } from '../../../contract/jobs/job.ts';
import type { Sites } from '../../../contract/stored/sites.ts';
import type { FailureReason } from '../../../presentation/errors-in-words.ts';
import type { SiteSorting } from './sites-table.ts';

export type HomeState = {
  readonly asked: HomeRequest;
  readonly sites?: Sites;
  readonly sorting?: SiteSorting;
  /** Route templates whose pages are displayed, with their host, source and device. */
  readonly unfolded?: ReadonlySet<string>;
  readonly schedules?: readonly Schedule[];
  readonly jobs?: readonly NamedJob[];
  /** Outcome of the test of a webhook. */
  readonly tested?: string;
  /** Jobs whose pages are displayed, by id. */
  readonly opened: Readonly<Record<string, JobAnswer>>;
  readonly health?: Health;
  readonly failure?: FailureReason;
  /** Reason why the last step failed, while the previous state stays visible. */
  readonly stepFailure?: FailureReason | undefined;
};

export type HomeActions = {
  readonly showMoreSites: () => void;
  readonly searchSites: (search: string) => void;
  readonly changeSites: (change: Pick<HomeState, 'sorting' | 'unfolded'>) => void;
  /** Removes all stored results of a page. */
  readonly removePage: (url: string) => void;
  /** Opens the form of a schedule for these pages. */
  readonly watchPages: (watched: Watched) => void;
  readonly watch: (order: ScheduleChoices) => void;
  readonly testCallback: (webhook: Webhook) => void;
  readonly stepSchedule: (id: string, step: ScheduleStep) => void;
  readonly cancelJob: (id: string) => void;
  /** Loads the pages of a job. */
  readonly openJob: (id: string) => void;
};
