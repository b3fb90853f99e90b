/** Settings of `rangelight.config.json`. `schema/config.json`, for editors, is generated from them. */
import Type, { type Static } from 'typebox';
import { optionsAt } from '../../../contract/measuring-options.ts';
import { strategies } from '../../../contract/names.ts';
import { optionProperties } from '../../../contract/option-schemas.ts';

const closed = { additionalProperties: false } as const;

const Server = Type.Object(
  {
    command: Type.String({ minLength: 1, description: 'Shell command that serves the site, such as `npm start`' }),
    url: Type.String({ description: 'URL to poll until the site responds' }),
    timeout: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 3600, default: 60, description: 'Seconds to wait for the URL' }),
    ),
  },
  { ...closed, description: 'Start the site before measuring, and stop it with all its child processes' },
);

const Outputs = Type.Object(
  {
    json: Type.Optional(Type.String({ description: 'All verdicts and checks as JSON' })),
    junit: Type.Optional(Type.String({ description: 'JUnit XML' })),
    markdown: Type.Optional(Type.String({ description: 'Markdown; GITHUB_STEP_SUMMARY gets a copy' })),
    gitlab: Type.Optional(Type.String({ description: "GitLab's browser_performance report" })),
    results: Type.Optional(Type.String({ description: 'All runs as JSON, for baseline.file of a later run' })),
  },
  { ...closed, description: 'Files to write' },
);

const { label, certificates: _, ...measuring } = optionProperties('ci');
const helpOf = (name: string): string => optionsAt('ci').find(([known]) => known === name)?.[1].help ?? '';

/** As in a request, but with the path of the CA. */
const conditions = {
  certificates: Type.Optional(
    Type.Object(
      {
        ca: Type.Optional(Type.String({ minLength: 1, description: 'Path of a CA in PEM form' })),
        ignore_errors: Type.Optional(Type.Boolean({ description: 'Accept any certificate of these hosts' })),
      },
      { ...closed, description: helpOf('certificates') },
    ),
  ),
};

export const CiConfig = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    server: Type.Optional(Server),
    urls: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: 100,
      description: 'Pages; a path is relative to server.url',
    }),
    strategies: Type.Optional(
      Type.Array(Type.Enum([...strategies], { type: 'string' }), {
        minItems: 1,
        uniqueItems: true,
        description: 'Default: both',
      }),
    ),
    ...measuring,
    ...conditions,
    assert: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Budgets in the syntax of --assert: `performance>=80`, `/shop/* LCP<=2s`',
      }),
    ),
    budgets: Type.Optional(Type.String({ description: 'Path of a Lighthouse budget.json' })),
    service: Type.Optional(Type.String({ description: 'URL of a running service; set its key in RANGELIGHT_API_KEY' })),
    store: Type.Optional(
      Type.String({
        description: 'Folder for stored results without a service (default .rangelight); add it to the CI cache',
      }),
    ),
    project: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9._-]{1,40}$',
        description: 'Prefix of branches in labels, if several projects share a service: PROJECT:BRANCH@COMMIT-RUN',
      }),
    ),
    label,
    baseline: Type.Optional(
      Type.Object(
        {
          branch: Type.Optional(
            Type.String({ minLength: 1, maxLength: 255, description: 'Newest results of this branch' }),
          ),
          label: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Results under this label' })),
          file: Type.Optional(
            Type.String({ minLength: 1, description: 'Results in this JSON file, written by output.results' }),
          ),
        },
        {
          ...closed,
          description:
            'Exactly one of these. Default: the target branch of the pull request, otherwise the default branch',
        },
      ),
    ),
    minEffect: Type.Optional(
      Type.String({ description: "Smallest difference that matters: '3 points', '100 ms, 5 %'" }),
    ),
    strict: Type.Optional(Type.Boolean({ description: 'Also fail on pages that cannot be compared or are undecided' })),
    output: Type.Optional(Outputs),
  },
  { ...closed, title: 'Rangelight in CI', $schema: 'https://json-schema.org/draft/2020-12/schema' },
);
export type CiConfig = Static<typeof CiConfig>;
