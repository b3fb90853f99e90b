/**
 * Parts of the answers of routes that the MCP tools return. The shapes stay in the service: described to an agent, they
 * would take more of its context than the tools themselves, and an answer names its values.
 */
import { asIs, pageText, type Shape, take } from './short-answers.ts';

export const jobShape = {
  ...take('job', 'state', 'position', 'progress', 'comparison', 'next'),
  results: [
    { ...take('id', 'source', 'strategy', 'scores', 'disturbed', 'performance_range'), error: pageText } as Shape,
  ],
  error: pageText,
} as const;

/** The page chooses the names of its custom metrics. */
const customShape = [{ ...take('ms', 'before', 'after', 'status'), name: pageText }] as const;

const fixShape = {
  ...take('audit', 'title', 'category', 'categories', 'score', 'points', 'savings'),
  files: [pageText],
} as const;
export const fixesShape = { ...take('id', 'total', 'next_offset'), fixes: [fixShape] } as const;

export const resultShape = {
  ...take('id', 'source', 'strategy', 'fetched_at', 'lighthouse_version', 'scores', 'metrics', 'performance_range'),
  ...take('disturbed', 'disturbance', 'agentic_browsing', 'runs', 'selected_run', 'main_content_appeared_ms'),
  url: pageText,
  label: pageText,
  custom_metrics: customShape,
  warnings: [pageText, 5],
  fixes: [fixShape, 3],
} as const;

export const comparisonShape = {
  ...take('id', 'verdict', 'disturbed', 'scores', 'results'),
  url: pageText,
  causes: [{ ...take('cause', 'category', 'points', 'certainty'), explanation: pageText }, 8],
} as const;

const removalsShape = [{ ...take('points', 'bytes'), name: pageText }, 10] as const;
export const predictShape = {
  ...take('id', 'basis', 'disturbed', 'score', 'reachable', 'slowest_cpu', 'median_error', 'limits'),
  fixes: [take('audit', 'title', 'points'), 10],
  third_parties: removalsShape,
  scripts: removalsShape,
} as const;

export const historyShape = {
  ...take('strategy', 'source', 'metric', 'unit', 'direction', 'median', 'left_out'),
  url: pageText,
  points: [{ ...take('id', 'fetched_at', 'value', 'disturbed'), label: pageText }],
  changes: [
    {
      ...take('status', 'fetched_at', 'previous_id', 'id', 'before', 'after'),
      notes: [{ time: asIs, text: pageText, link: pageText }],
    },
  ],
} as const;

export const changeShape = {
  ...take('status', 'more_runs', 'decided_by', 'judged_by', 'explanation', 'runs', 'disturbed', 'ids', 'scores'),
  custom_metrics: customShape,
  files: [{ ...take('kind', 'bytes', 'cpu_ms'), url: pageText }, 5],
  audits: [take('audit', 'before', 'after'), 10],
} as const;

export const experimentShape = {
  ...take('experiment', 'state', 'metric', 'next'),
  url: pageText,
  variants: [{ ...take('status', 'difference', 'interval', 'judged_pairs'), name: pageText, url: pageText }],
  error: pageText,
} as const;

export const pagesShape = {
  ...take('found', 'is_complete'),
  urls: [pageText],
  templates: [{ template: pageText, pages: asIs }, 20],
} as const;

export const noteShape = { ...take('id', 'time'), site: pageText } as const;
