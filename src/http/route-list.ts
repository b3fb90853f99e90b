/** All routes that OpenAPI describes. */
import type { AskWhatIf } from '../analysis/stored/what-if.ts';
import type { IsClient } from './access/api-keys.ts';
import type { AppParts } from './app-parts.ts';
import type { Route, RouteParts } from './route.ts';
import { accessListRoute, accessRoute, putAccessRoute, removeAccessRoute } from './routes/access/access.ts';
import {
  compareReportRoute,
  compareRoutes,
  lighthouseReportRoute,
  lighthouseRoutes,
  psiGetRoute,
  psiReportRoute,
} from './routes/analyses.ts';
import { cacheClearRoute } from './routes/cache-clear.post.ts';
import { confirmWhatIfRoute } from './routes/experiments/confirm-what-if.post.ts';
import { addExperimentRoute, experimentReportRoute, experimentRoute } from './routes/experiments/experiments.ts';
import { healthRoute, readyRoute } from './routes/health.get.ts';
import { jobEventsRoute } from './routes/jobs/job-events.get.ts';
import { addJobRoute, endJobRoute, jobPageRoute, jobRoute, jobsRoute } from './routes/jobs/jobs.ts';
import {
  addScheduleRoute,
  pauseScheduleRoute,
  removeScheduleRoute,
  runScheduleRoute,
  scheduleRoute,
  schedulesRoute,
  testCallbackRoute,
} from './routes/jobs/schedules.ts';
import { metricsRoute } from './routes/metrics.get.ts';
import { addNoteRoute, notesRoute, removeNoteRoute } from './routes/notes.ts';
import { psiPostRoute } from './routes/psi.post.ts';
import {
  compareResultsRoute,
  forgetPageRoute,
  forgetResultRoute,
  sitesRoute,
  whatIfRoute,
} from './routes/results/ask-results.ts';
import { historyRoute } from './routes/results/history.get.ts';
import { resultRoute } from './routes/results/result.get.ts';
import {
  resultHarRoute,
  resultNetworkLogRoute,
  resultReportRoute,
  resultScreenshotRoute,
  resultTraceRoute,
} from './routes/results/result-files.get.ts';
import { resultsRoute } from './routes/results/results.get.ts';
import { runPagespeedRoute } from './routes/run-pagespeed.get.ts';
import { sitemapRoute } from './routes/sitemap.get.ts';

/** A worker serves only monitoring: its clients use the other instances. */
export const toWorkerRoutes = (parts: AppParts & { isClient: IsClient }): Route[] => [
  healthRoute(parts),
  readyRoute(parts),
  metricsRoute(parts),
];

export const toRoutes = (parts: RouteParts & AppParts & { isClient: IsClient; askWhatIf: AskWhatIf }): Route[] => [
  psiGetRoute(parts),
  psiPostRoute(parts),
  ...lighthouseRoutes(parts),
  ...compareRoutes(parts),
  psiReportRoute(parts),
  lighthouseReportRoute(parts),
  compareReportRoute(parts),
  sitemapRoute(parts),
  accessListRoute(parts),
  accessRoute(parts),
  putAccessRoute(parts),
  removeAccessRoute(parts),
  jobsRoute(parts),
  addJobRoute(parts),
  jobRoute(parts),
  endJobRoute(parts),
  jobEventsRoute(parts),
  jobPageRoute(parts),
  addExperimentRoute(parts),
  experimentRoute(parts),
  experimentReportRoute(parts),
  schedulesRoute(parts),
  addScheduleRoute(parts),
  scheduleRoute(parts),
  pauseScheduleRoute(parts),
  runScheduleRoute(parts),
  removeScheduleRoute(parts),
  testCallbackRoute(parts),
  resultsRoute(parts),
  sitesRoute(parts),
  historyRoute(parts),
  compareResultsRoute(parts),
  forgetPageRoute(parts),
  resultRoute(parts),
  forgetResultRoute(parts),
  resultReportRoute(parts),
  resultScreenshotRoute(parts),
  resultTraceRoute(parts),
  resultNetworkLogRoute(parts),
  resultHarRoute(parts),
  whatIfRoute(parts),
  confirmWhatIfRoute(parts),
  addNoteRoute(parts),
  notesRoute(parts),
  removeNoteRoute(parts),
  cacheClearRoute(parts),
  healthRoute(parts),
  readyRoute(parts),
  metricsRoute(parts),
  runPagespeedRoute(parts),
];
