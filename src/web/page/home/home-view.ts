/** Overview of all pages: sites, schedules and jobs, and the health of the service. */

import { html, nothing } from 'lit-html';
import type { HomePage, HomeRequest, NamedJob, Schedule } from '../../../api-client/stored/home.ts';
import type { Health } from '../../../contract/health.ts';
import type { JobAnswer } from '../../../contract/jobs/job.ts';
import type { Result } from '../../../contract/result/result.ts';
import type { Sites } from '../../../contract/stored/sites.ts';
import type { FailureReason } from '../../../presentation/errors-in-words.ts';
import { absent, counted, formatBytes, formatDuration } from '../../../presentation/numbers.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { failureView } from '../../views/failure-view.ts';
import { detailsTable, sayTime, valuesRow } from '../../views/marks.ts';
import type { Actions } from '../session/actions.ts';
import { schedulesView } from './schedules-view.ts';
import type { SiteSorting } from './sites-table.ts';
import { searchView, sitesView } from './sites-view.ts';

const titles: Readonly<Record<HomePage, string>> = {
  sites: 'Sites',
  schedules: 'Schedules and jobs',
  status: 'Status of the service',
};

const psiState = ({ psi }: Health): string => {
  if (psi.state === 'throttled') return `throttled; nothing is sent before ${psi.until ? sayTime(psi.until) : absent}`;
  if (psi.state === 'down') return `down since ${psi.since ? sayTime(psi.since) : absent}`;
  return 'ok';
};

function statusRows(health: Health, names: SideNames): [string, unknown][] {
  const { lighthouse, cache, results, fleet, version, uptime_seconds: uptime } = health;
  const rows: [string, unknown][] = [
    ['Service', `${health.status}, version ${version}, up for ${formatDuration(uptime)}`],
    [
      'Local audits',
      `${lighthouse.running} of ${counted(lighthouse.parallel_limit, 'slot')} in use, ${lighthouse.queued} in the queue`,
    ],
    [
      'Lighthouse',
      lighthouse.available ? lighthouse.version : `${lighthouse.version}, not available. ${lighthouse.fault ?? ''}`,
    ],
    ['Browser', lighthouse.browser ? `${lighthouse.browser}, sandbox ${lighthouse.sandbox}` : absent],
    [names.psi.short, psiState(health)],
    [
      'Stored results',
      results.store === 'none'
        ? 'none: DATA_DIR is none'
        : `${results.entries.toLocaleString('en')} in ${results.store}, ${formatBytes(results.bytes)}, ${results.state}`,
    ],
    ['Traces and network logs', formatBytes(results.artifact_bytes)],
    ['Waiting to be stored', counted(results.waiting, 'result')],
    ['Cache', `${counted(cache.entries, 'entry', 'entries')} in ${cache.store}, ${formatBytes(cache.bytes)}`],
  ];
  if (results.retention) {
    const { days, bytes, refused } = results.retention;
    rows.push([
      'Retention',
      `${counted(days, 'day')}, at most ${formatBytes(bytes)}${refused ? `. Nothing is removed by age now. ${refused}` : ''}`,
    ]);
  }
  if (results.fault) rows.push(['Last fault of the store', `${sayTime(results.fault.at)}: ${results.fault.message}`]);
  if (fleet)
    rows.push([
      'Fleet',
      `${counted(fleet.instances, 'instance')}, ${fleet.running} of ${counted(fleet.parallel_limit, 'slot')} in use, ${fleet.queued} in the queue, database ${fleet.database}`,
    ]);
  return rows;
}

type FleetMember = NonNullable<NonNullable<Health['fleet']>['members']>[number];

const memberRow = ({ name, role, version, running, parallel_limit: limit }: FleetMember) =>
  valuesRow(
    html`${name ?? 'unknown host'} <span class="note">${role}, version ${version}</span>`,
    [limit === 0 ? absent : `${running} of ${limit}`],
    'url',
  );

const membersView = (members: readonly FleetMember[]) =>
  html`<h3>Instances</h3>${detailsTable('Instances', ['Host', 'Slots in use'], members.map(memberRow))}`;

const statusView = ({ health }: HomeState, names: SideNames) =>
  health
    ? html`<dl class="status-facts">${statusRows(health, names).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
      ${health.fleet?.members?.length ? membersView(health.fleet.members) : nothing}`
    : html`<p class="quiet">Asking the service …</p>`;

function bodyView(state: HomeState, names: SideNames, actions: Actions) {
  if (state.failure) return failureView(state.failure, names);
  switch (state.asked.page) {
    case 'sites':
      return sitesView(state, names, actions);
    case 'schedules':
      return schedulesView(state, names, actions);
    case 'status':
      return statusView(state, names);
  }
}

export const homeView = (state: HomeState, names: SideNames, actions: Actions) => html`
  <section class="sheet home stack">
    <div class="home-top row"><h2 tabindex="-1">${titles[state.asked.page]}</h2>${state.sites ? searchView(state, actions) : nothing}</div>
    ${[state.stepFailure, state.reloadFailure].map(failure => (failure ? failureView(failure, names) : nothing))} ${bodyView(state, names, actions)}
  </section>`;

export type HomeState = {
  readonly asked: HomeRequest;
  readonly sites?: Sites;
  readonly sorting?: SiteSorting;
  /** Route templates whose pages are displayed, with their host, source and device. */
  readonly unfolded?: ReadonlySet<string>;
  readonly schedules?: readonly Schedule[];
  readonly jobs?: readonly NamedJob[];
  /** Conditions of the result whose page is to be watched. */
  readonly conditions?: NonNullable<Result['conditions']>;
  /** Whether a schedule is being added: of a site, this takes seconds. */
  readonly isAdding?: boolean;
  /** Outcome of the test of a webhook. */
  readonly tested?: string;
  /** Jobs whose pages are displayed, by id. */
  readonly opened: Readonly<Record<string, JobAnswer>>;
  readonly health?: Health;
  readonly failure?: FailureReason | undefined;
  /** Reason why the view could not be loaded again; its previous state stays visible. */
  readonly reloadFailure?: FailureReason | undefined;
  /** Reason why the last step failed, while the previous state stays visible. */
  readonly stepFailure?: FailureReason | undefined;
};
