/** MCP tools that start work for a site or a change: experiments, a comparison of two URLs, its pages, and notes. */
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { Static, TObject } from 'typebox';
import type { ExperimentAnswer } from '../../contract/experiments/answer.ts';
import { NoteRequest } from '../../contract/stored/notes.ts';
import { experimentShape, noteShape, pagesShape } from './answer-shapes.ts';
import { type Json, shorten } from './short-answers.ts';
import { isOver, toPath } from './tool-answers.ts';
import { CompareUrlsInput, ExperimentIdInput, ExperimentInput, PagesInput } from './tool-schemas.ts';

/** Texts and input of a tool; by default, it only reads. */
export type Tool<Input extends TObject> = {
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly annotations?: ToolAnnotations;
};

/** Signal that cancels the wait of a call. */
export type Cancellable = { readonly signal: AbortSignal };

export type AddTool = <Input extends TObject>(
  name: string,
  tool: Tool<Input>,
  toBody: (values: Static<Input>, call: Cancellable) => Promise<Json>,
) => unknown;

type Parts = {
  /** Sends JSON to a route. */
  readonly post: (path: string, body: object) => Promise<Json>;
  readonly read: (path: string, call: Cancellable) => Promise<Json>;
  readonly measures: ToolAnnotations;
};

/** Adds the tools. */
export function addSiteTools(addTool: AddTool, { post, read, measures }: Parts): void {
  const start = async (body: object): Promise<Json> => {
    const { id, state, plan } = (await post('/experiments', body)) as Pick<ExperimentAnswer, 'id' | 'state' | 'plan'>;
    return { experiment: id, state, plan: plan.sentence, next: 'Call get_experiment until it has ended.' };
  };

  addTool(
    'start_experiment',
    {
      title: 'Measure a change to a page',
      description:
        'Starts an experiment: variants of a page, measured in pairs of loads against the unchanged page. Takes minutes.',
      input: ExperimentInput,
      annotations: measures,
    },
    start,
  );

  addTool(
    'compare_urls',
    {
      title: 'Compare two URLs',
      description: 'Starts an experiment that measures a second URL, such as a preview, in pairs against the first.',
      input: CompareUrlsInput,
      annotations: measures,
    },
    ({ before, after, ...rest }) => start({ ...rest, url: before, variants: [{ name: 'after', url: after }] }),
  );

  addTool(
    'get_experiment',
    {
      title: 'Read an experiment',
      description:
        'The state of an experiment, and the verdict on each variant: better, worse, no_difference or undecided, with the difference of the deciding metric and its interval.',
      input: ExperimentIdInput,
    },
    async ({ experiment }, call) => {
      const body = await read(toPath('experiments', experiment), call);
      const { error, state } = body as unknown as ExperimentAnswer;
      return shorten(experimentShape, {
        ...body,
        ...{ experiment, error: error?.detail },
        next: isOver(state) ? 'The experiment has ended.' : 'Call get_experiment again later.',
      });
    },
  );

  addTool(
    'find_pages',
    {
      title: 'Find the pages of a site',
      description: 'Pages of a site by route template, from its sitemaps or its links. Nothing is measured.',
      input: PagesInput,
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    async (values, call) => {
      const query = new URLSearchParams({ url: values.url, sample: `${values.sample ?? 3}` });
      return shorten(pagesShape, await read(`/sitemap?${query}`, call));
    },
  );

  addTool(
    'add_note',
    {
      title: 'Note a deploy',
      description: 'Adds a note, such as a deploy, to the histories of a site. A change names the notes at its time.',
      input: NoteRequest,
      annotations: { ...measures, openWorldHint: false },
    },
    async note => shorten(noteShape, await post('/notes', note)),
  );
}
