/** View of schedules and jobs: their pages, their progress, and how to stop them. */

import { html, nothing } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { readUrls, withScheme } from '../../../api-client/read-urls.ts';
import { toExperimentAddress } from '../../../api-client/stored/experiment.ts';
import type { NamedJob, Schedule, ScheduleChoices, Watched, Webhook } from '../../../api-client/stored/home.ts';
import type { JobFacts, JobPage } from '../../../contract/jobs/job.ts';
import { optionsAt } from '../../../contract/measuring-options.ts';
import type { CallbackFormat } from '../../../contract/names.ts';
import { sayConditions, toStatedConditions } from '../../../presentation/condition-words.ts';
import { hostOf } from '../../../presentation/download-name.ts';
import { isLive } from '../../../presentation/experiment-words.ts';
import { rateScore } from '../../../presentation/metric-range.ts';
import { absent, counted } from '../../../presentation/numbers.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { light, ratedValue } from '../../views/marks.ts';
import { choose, devices } from '../form/choose.ts';
import type { Actions } from '../session/actions.ts';
import type { HomeState } from './home-view.ts';

const intervals = { PT1H: 'every hour', PT6H: 'every 6 hours', P1D: 'every day', P7D: 'every week' } as const;
const rhythms = new Map([
  ['PT1H', 'every hour'],
  ['PT6H', 'every 6 hours'],
  ['*', 'every day'],
  ['1', 'every Monday'],
]);
const occasions = { verdict_changes: 'only on changes', always: 'after each run' };
const formats = { json: 'JSON', slack: 'Slack', teams: 'Teams', text: 'Text' } satisfies Record<CallbackFormat, string>;
const runChoices = optionsAt('form').find(([name]) => name === 'runs')?.[1].choices ?? [];
const dayAndTime = { year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' } as const;
const hours = Array.from({ length: 24 }, (_, hour): [string, string] => [`${hour}`, `${hour}:00`]);

/** Describes the cron expressions of the form in words, and any other one as it is. */
const sayCron = (cron: string): string => {
  const [, hour, day] = /^0 (\d+) \* \* ([*1])$/.exec(cron) ?? [];
  return hour === undefined ? `cron ${cron}` : `${rhythms.get(day ?? '')} at ${hour}:00`;
};

const sayRhythm = ({ cron, timezone, interval }: Schedule): string =>
  cron === null
    ? (intervals[interval as keyof typeof intervals] ?? `every ${interval}`)
    : `${sayCron(cron)} (${timezone ?? 'UTC'})`;

/** Formats a time in the time zone of its schedule, or else of the browser, and names the zone. */
export const sayTimeOf = ({ timezone }: Pick<Schedule, 'timezone'>, iso: string): string =>
  new Date(iso).toLocaleString(undefined, { ...dayAndTime, timeZone: timezone ?? undefined, timeZoneName: 'short' });

/** Names only the host: the path of a webhook may be a secret. */
const sayWebhook = ({ callback, callback_when: when }: Schedule): string =>
  callback === null ? '' : ` · webhook at ${hostOf(callback)} ${occasions[when]}`;

const saySide = (kind: JobFacts['kind'], names: SideNames): string => {
  if (kind === 'experiment') return 'Experiment';
  return kind === 'compare' ? 'Compare' : names[kind].short;
};

const sayRuns = (runs: Schedule['runs']): string => {
  if (runs === null) return '';
  return runs === 'auto' ? ', until stable' : `, ${counted(runs, 'run')}`;
};

const readWebhook = (data: FormData): Webhook => ({
  callback: withScheme(`${data.get('callback')}`.trim()),
  callback_format: data.get('callback_format') as Webhook['callback_format'],
});

function readOrder(form: HTMLFormElement): ScheduleChoices {
  const data = new FormData(form);
  const text = (name: string) => `${data.get(name) ?? ''}`.trim();
  const runs = text('runs');
  const rhythm = text('rhythm');
  const sample = Number(text('sample'));
  return {
    ...(data.has('site')
      ? { site: text('site'), ...(sample > 0 ? { sample } : {}) }
      : { urls: readUrls(text('urls')) }),
    ...(/^P/.test(rhythm)
      ? { interval: rhythm }
      : { cron: `0 ${text('hour')} * * ${rhythm}`, timezone: text('timezone') }),
    kind: text('kind') as ScheduleChoices['kind'],
    strategy: text('strategy') as ScheduleChoices['strategy'],
    runs: runs === 'auto' ? 'auto' : Number(runs),
    ...(text('callback') === '' ? {} : { ...readWebhook(data), callback_when: text('callback_when') as 'always' }),
  };
}

const sayPages = (site: { readonly url: string; readonly sample?: number | null | undefined }) =>
  html`${site.sample ? `${counted(site.sample, 'page')} of each template` : 'All pages'} of <span class="url">${site.url}</span>`;

const pagesField = ({ urls, site }: Partial<Watched>) =>
  site
    ? html`<p class="wide-field">${sayPages(site)}${urls && urls.length > 0 ? `: ${counted(urls.length, 'page')}` : ''}
        <input type="hidden" name="site" value=${site.url}><input type="hidden" name="sample" value=${site.sample ?? ''}></p>`
    : html`<label class="wide-field"><span class="quiet small">Pages, one per line</span><textarea name="urls" rows="2" required spellcheck="false">${urls?.join('\n') ?? ''}</textarea><span class="quiet small">For a whole site, use “Find the pages of this site” on the <a href="./">start page</a>.</span></label>`;

const sayFound = ({ site }: Pick<JobFacts, 'site'>, pages: number) =>
  site && pages < site.found ? html` · ${pages} of ${counted(site.found, 'page')} found` : nothing;

/** Displays the callback fields or, if the service has no secret and refuses callbacks, what is missing. */
const callbackFields = ({ tested }: HomeState, { testCallback }: Actions) =>
  document.documentElement.dataset.callbacks === 'none'
    ? html`<p class="wide-field small quiet">To call a webhook after each run, the operator must start this service with <code>CALLBACK_SECRET="whsec_$(openssl rand -base64 32)"</code>.</p>`
    : html`<label class="wide-field"><span class="quiet small">Webhook URL</span><input name="callback" inputmode="url" autocomplete="off"></label>
      ${choose('callback_when', 'Notify', Object.entries(occasions), 'verdict_changes')}
      ${choose('callback_format', 'Format', Object.entries(formats), 'json')}
      <button type="button" @click=${(event: Event) => {
        const { form } = event.target as HTMLButtonElement;
        if (!form) return;
        // A schedule needs no webhook, a test does.
        form.callback.required = true;
        if (form.callback.reportValidity()) testCallback(readWebhook(new FormData(form)));
        form.callback.required = false;
      }}>Test the webhook</button>
      <span class="wide-field small" role="status">${tested ?? nothing}</span>`;

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')];

/** Completes the name of a city or corrects its case. The service refuses other names, after the form was sent. */
const checkZone = ({ target }: Event): void => {
  const field = target as HTMLInputElement;
  const city = `/${field.value.trim().replaceAll(' ', '_')}`.toLowerCase();
  field.value = zones.find(zone => `/${zone}`.toLowerCase().endsWith(city)) ?? field.value;
  field.setCustomValidity(zones.includes(field.value) ? '' : 'Write the name of a time zone, such as Europe/Berlin.');
};

function formView(state: HomeState, names: SideNames, actions: Actions) {
  const { watched } = state.asked;
  const conditions = toStatedConditions(state);
  if (typeof conditions === 'string')
    return html`<p class="notice"><strong>This page cannot be watched from here.</strong> ${conditions}</p>`;
  const submit = (event: Event): void => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    actions.watch({ ...readOrder(form), ...conditions }, () => form.closest('details')?.removeAttribute('open'));
  };
  return html`<details class="fold" ?open=${watched !== undefined}><summary class="button">Watch pages</summary>
    <form class="schedule-form row" @submit=${submit}>
      ${pagesField(watched ?? {})}
      ${state.conditions ? html`<p class="wide-field small quiet">As measured: ${sayConditions(state).join(' · ')}</p>` : nothing}
      ${choose('rhythm', 'How often', [...rhythms], '*')}
      <span class="at-hour">${choose('hour', 'At', hours, '3')}</span>
      <label class="at-hour"><span class="quiet small">Time zone</span><input name="timezone" list="timezones" required @change=${checkZone} value=${Intl.DateTimeFormat().resolvedOptions().timeZone}></label>
      <datalist id="timezones">${zones.map(zone => html`<option value=${zone}></option>`)}</datalist>
      ${choose('kind', 'Measured by', Object.entries({ psi: names.psi.short, lighthouse: names.lighthouse.short, compare: 'Compare' }), watched?.source ?? 'lighthouse')}
      ${choose('strategy', 'Device', [...devices, ['both', 'Both']], watched?.strategy ?? 'mobile')}
      ${choose('runs', 'Local runs', runChoices, '3')}
      ${callbackFields(state, actions)}
      <button class="main" type="submit" ?disabled=${state.isAdding === true}>${state.isAdding ? 'Adding …' : 'Watch'}</button>
    </form></details>`;
}

/** Says whether the webhook accepted its message; empty if nothing was due. */
const sayDelivery = ({ callback }: JobFacts): string => {
  if (callback?.state === 'delivered') return ', webhook called';
  return callback?.error ? ', webhook failed' : '';
};

const mostRuns = 3;

/** Displays the last runs of a schedule, among the newest jobs. */
const lastRunsView = (schedule: Schedule, runs: readonly JobFacts[]) =>
  runs.length === 0
    ? nothing
    : html`<p class="small quiet last-runs">Last runs: ${runs.map(
        (run, place) =>
          html`${place > 0 ? '; ' : ''}${sayTimeOf(schedule, run.created_at)} ${run.state}, ${run.progress.done} of ${run.progress.total}${run.progress.failed > 0 ? html`, <span class="line-failure">${run.progress.failed} failed</span>` : nothing}${sayDelivery(run)}`,
      )}</p>`;

const mostListed = 100;

/** Lists pages, each with its outcome, or the first of many. */
const listView = (pages: readonly { readonly url: string; readonly outcome?: unknown }[], total: number) =>
  html`<ul class="plain job-pages">${pages.slice(0, mostListed).map(({ url, outcome = nothing }) => html`<li><span class="url">${url}</span> ${outcome}</li>`)}</ul>
    ${total > Math.min(mostListed, pages.length) ? html`<p class="small quiet">The first ${Math.min(mostListed, pages.length)} of ${total} pages.</p>` : nothing}`;

const scheduleName = ({ urls, site, pages }: Schedule) => {
  if (site)
    return html`<strong class="url">${sayPages(site)}</strong> <span class="quiet">${counted(pages, 'page')}</span>`;
  return html`<strong class="url">${urls?.[0] ?? counted(pages, 'page')}</strong>${pages > 1 && urls ? html` <span class="quiet">and ${pages - 1} more</span>` : nothing}`;
};

const scheduleView = (schedule: Schedule, jobs: readonly JobFacts[], names: SideNames, { stepSchedule }: Actions) => {
  const runs = jobs.filter(job => job.schedule === schedule.id).slice(0, mostRuns);
  const { id, urls, pages, paused, next_at: next, last_at: last, reason } = schedule;
  const { kind, strategy, runs: localRuns, label, conditions } = schedule;
  const step = (name: Parameters<typeof stepSchedule>[1], words: string) =>
    html`<button type="button" @click=${() => (name !== 'remove' || confirm(`Remove the schedule of ${counted(pages, 'page')}?`)) && stepSchedule(id, name)}>${words}<span class="unseen"> the schedule of ${urls?.[0] ?? counted(pages, 'page')}</span></button>`;
  return html`<li class="job row"><div>
      ${scheduleName(schedule)}
      <p class="small quiet">${sayRhythm(schedule)} · ${saySide(kind, names)}, ${strategy}${sayRuns(localRuns)}${label ? ` · ${label}` : ''}${conditions ? ` · under ${conditions}` : ''}${sayFound(schedule, pages)}${sayWebhook(schedule)} · ${paused ? 'paused' : next ? `next ${sayTimeOf(schedule, next)}` : 'no next time'}${last && runs.length === 0 ? ` · last ${sayTimeOf(schedule, last)}` : ''}${reason ? ` · ${reason}` : ''}</p>
      ${lastRunsView(schedule, runs)}
      ${
        urls && pages > 1
          ? html`<details class="fold"><summary>Pages</summary>${listView(
              urls.map(url => ({ url })),
              pages,
            )}</details>`
          : nothing
      }
    </div>
    <div class="actions row">${paused ? nothing : step('run', 'Run now')} ${paused ? step('resume', 'Resume') : step('pause', 'Pause')} ${step('remove', 'Remove')}</div></li>`;
};

const partView = ({ id, scores, disturbed, error }: JobPage['results'][number]) => {
  const score = scores?.performance ?? null;
  const words =
    score === null ? absent : ratedValue(`${score}`, disturbed ? null : rateScore(score), disturbed === true);
  if (error) return html`<span class="line-failure">${error.title}</span>`;
  return id === null ? words : html`<a href="?result=${id}">${words}</a>`;
};

const outcomeView = ({ state, error, results }: JobPage) => {
  if (error) return html`<span class="line-failure">${error.title}</span>`;
  return results.length > 0
    ? html`<span>${results.map(part => html`${light(part.source)}<span class="unseen">${part.source} </span><span class="quiet">${part.strategy}</span> ${partView(part)} `)}</span>`
    : html`<span class="quiet">${state}</span>`;
};

/** Displays the error of a callback that was not delivered. */
function callbackView({ callback }: JobFacts) {
  if (!callback || callback.error === null || callback.state === 'delivered') return nothing;
  const outcome = callback.state === 'given_up' ? 'Callback failed' : 'Callback not delivered yet';
  return html`<p class="small line-failure">${outcome} after ${counted(callback.attempts, 'attempt')}: ${callback.error}</p>`;
}

const jobView = (
  job: NamedJob,
  { opened, schedules = [] }: HomeState,
  names: SideNames,
  { cancelJob, openJob }: Actions,
) => {
  const { id, state, kind, progress, created_at: at, label, reason, firstUrl } = job;
  const details = opened[id];
  const zone = schedules.find(({ id: known }) => known === job.schedule) ?? { timezone: null };
  const open = (event: Event): void => {
    if ((event.target as HTMLDetailsElement).open) openJob(id);
  };
  return html`<li class="job row"><div>
      <strong class="url">${firstUrl ?? counted(progress.total, 'page')}</strong>${firstUrl !== undefined && progress.total > 1 && kind !== 'experiment' ? html` <span class="quiet">and ${progress.total - 1} more</span>` : nothing}
      <p><strong>${state}</strong> <span class="number">${progress.done} of ${counted(progress.total, kind === 'experiment' ? 'load' : 'page')}</span>${progress.failed > 0 ? html`, <span class="line-failure">${progress.failed} failed</span>` : nothing}</p>
      <p class="small quiet">${sayTimeOf(zone, at)} · ${saySide(kind, names)}${label ? ` · ${label}` : ''}${sayFound(job, progress.total)}${job.schedule ? ' · of a schedule' : ''}${reason ? ` · ${reason}` : ''}</p>
      ${kind === 'experiment' ? html`<p><a href=${toExperimentAddress(id)}>Open the experiment</a></p>` : nothing}
      ${callbackView(job)}
      <details class="fold" ?open=${details !== undefined} @toggle=${open}><summary>Pages</summary>${
        details
          ? listView(
              details.pages.map(page => ({ url: page.url, outcome: outcomeView(page) })),
              progress.total,
            )
          : html`<p class="quiet small">Loading …</p>`
      }</details>
    </div>
    ${isLive(job) ? html`<div class="actions row"><button type="button" @click=${() => cancelJob(id)}>Cancel<span class="unseen"> the job of ${sayTimeOf(zone, at)}</span></button></div>` : nothing}</li>`;
};

/** A new job moves the others down: a button that has the focus stays with its job. */
const idOf = ({ id }: { readonly id: string }): string => id;

export function schedulesView(state: HomeState, names: SideNames, actions: Actions) {
  const { schedules, jobs } = state;
  if (!schedules || !jobs) return html`<p class="quiet">Loading schedules and jobs …</p>`;
  return html`${formView(state, names, actions)}
    ${schedules.length === 0 ? html`<p class="quiet">No page is watched yet.</p>` : html`<ul class="plain">${repeat(schedules, idOf, schedule => scheduleView(schedule, jobs, names, actions))}</ul>`}
    <h3>Last jobs</h3>
    ${jobs.length === 0 ? html`<p class="quiet">No job ran in the last day.</p>` : html`<ul class="plain">${repeat(jobs, idOf, job => jobView(job, state, names, actions))}</ul>`}`;
}
