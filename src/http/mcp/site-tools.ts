/** MCP tools that start work for a site or a change: experiments, a comparison of two URLs, its pages, and notes. */
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import Type, { type Static, type TObject } from 'typebox';
import { ExperimentAnswer } from '../../contract/experiments/answer.ts';
import { recipeNames } from '../../contract/experiments/names.ts';
import { strategies } from '../../contract/names.ts';
import { Sitemap, SitemapQuery } from '../../contract/sitemap.ts';
import { maxNoteCharacters, Note } from '../../contract/stored/notes.ts';
import { type Json, shorten, Untrusted } from './short-answers.ts';
import { isOver, toPath } from './tool-answers.ts';

/** Texts and schemas of a tool; by default, it only reads. */
export type Tool<Input extends TObject> = {
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: TObject;
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

const leftOut = Type.Optional(Type.Integer({ description: 'Number of list entries omitted to save space' }));
const ExperimentId = Type.String({ minLength: 1, maxLength: 100, description: 'Id of an experiment' });
const page = Type.String({ maxLength: 2000, description: 'URL with http or https' });
const strategy = Type.Optional(Type.Enum([...strategies], { type: 'string' }));
const StartedExperiment = Type.Object({
  experiment: ExperimentId,
  state: Type.String(),
  plan: Type.String({ description: 'Number of loads and their time' }),
  next: Type.String(),
});

const ExperimentInput = Type.Object({
  url: page,
  strategy,
  variants: Type.Array(
    Type.Object({
      name: Type.Optional(Type.String({ maxLength: 100 })),
      block: Type.Optional(
        Type.Array(Type.String(), { maxItems: 50, description: 'URL patterns to block; * matches any characters' }),
      ),
      recipes: Type.Optional(
        Type.Array(
          Type.Object({
            name: Type.Enum([...recipeNames], { type: 'string' }),
            url: Type.Optional(Type.String({ description: 'URL pattern of the files' })),
            value: Type.Optional(Type.String()),
            find: Type.Optional(Type.String()),
            replace: Type.Optional(Type.String()),
          }),
          { maxItems: 20 },
        ),
      ),
    }),
    { minItems: 1, maxItems: 5 },
  ),
});

const variantFields = ExperimentAnswer.properties.variants.items.properties;
const ExperimentOutput = Type.Object({
  experiment: ExperimentId,
  url: Untrusted,
  state: ExperimentAnswer.properties.state,
  metric: Type.String({ description: 'Metric that decides' }),
  variants: Type.Array(
    Type.Object({
      name: Untrusted,
      url: Untrusted,
      status: variantFields.status,
      difference: variantFields.difference,
      interval: Type.Unknown({ description: 'Confidence interval of the difference' }),
      judged_pairs: variantFields.judged_pairs,
    }),
  ),
  error: Type.Optional(Untrusted),
  next: Type.String(),
  left_out: leftOut,
});

const PagesOutput = Type.Object({
  found: Sitemap.properties.found,
  urls: Type.Array(Untrusted),
  templates: Type.Array(Type.Object({ template: Untrusted, pages: Type.Integer() }), { maxItems: 20 }),
  is_complete: Type.Boolean(),
  left_out: leftOut,
});

const NoteOutput = Type.Object({ id: Note.properties.id, site: Untrusted, time: Note.properties.time });

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
      description: 'Starts an experiment: variants of a page, measured in pairs of loads against the unchanged page.',
      input: ExperimentInput,
      output: StartedExperiment,
      annotations: measures,
    },
    start,
  );

  addTool(
    'compare_urls',
    {
      title: 'Compare two URLs',
      description: 'Starts an experiment that measures a second URL, such as a preview, in pairs against the first.',
      input: Type.Object({ before: page, after: page, strategy }),
      output: StartedExperiment,
      annotations: measures,
    },
    ({ before, after, ...rest }) => start({ ...rest, url: before, variants: [{ name: 'after', url: after }] }),
  );

  addTool(
    'get_experiment',
    {
      title: 'Read an experiment',
      description: 'The state of an experiment and the verdict on each variant: better, worse, undecided.',
      input: Type.Object({ experiment: ExperimentId }),
      output: ExperimentOutput,
    },
    async ({ experiment }, call) => {
      const body = await read(toPath('experiments', experiment), call);
      const { error, state } = body as unknown as ExperimentAnswer;
      return shorten(ExperimentOutput, {
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
      input: Type.Object({ url: page, sample: SitemapQuery.properties.sample }),
      output: PagesOutput,
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    async (values, call) => {
      const query = new URLSearchParams({ url: values.url, sample: `${values.sample ?? 3}` });
      return shorten(PagesOutput, await read(`/sitemap?${query}`, call));
    },
  );

  addTool(
    'add_note',
    {
      title: 'Note a deploy',
      description: 'Adds a note, such as a deploy, to the histories of a site. A change names the notes at its time.',
      input: Type.Object({
        site: page,
        text: Type.String({ maxLength: maxNoteCharacters }),
        link: Type.Optional(page),
      }),
      output: NoteOutput,
      annotations: { ...measures, openWorldHint: false },
    },
    async note => shorten(NoteOutput, await post('/notes', note)),
  );
}
