/** Requests for an analysis: one schema each validates it, types it, and describes it in OpenAPI. */

import Type, { type Static } from 'typebox';
import { pageUrlFormat } from '../fields.ts';
import { mostBatchUrls, mostJobUrls } from '../names.ts';
import { optionProperties } from '../option-schemas.ts';
import { body, callbackFormat, pageUrl, parameters } from '../parameters.ts';

const url = { format: pageUrlFormat, title: 'Url', description: 'Page to analyse' };

const callback = Type.Union([Type.String(), Type.Null()], {
  title: 'Callback',
  description: 'With `Prefer: respond-async`: an https URL that receives a POST when the job ends',
});

export const PsiQuery = parameters({
  url: Type.String(url),
  ...optionProperties('psi'),
  callback: Type.Optional(callback),
  callback_format: callbackFormat,
});

/** A report always has the full data, and is never a job. */
export const PsiReportQuery = Type.Omit(PsiQuery, ['detailed', 'callback', 'callback_format']);

/** The specification has only the page, `strategy` and `categories`. */
export const PageQuery = parameters({
  url: Type.String(url),
  ...optionProperties('page'),
  callback: Type.Optional(callback),
  callback_format: callbackFormat,
});

/** The same request as a body, which also has conditions. An unknown field is refused: it may be a condition. */
export const PageRequest = body(
  'PageRequest',
  {
    url: Type.String(url),
    ...optionProperties('page body'),
    callback: Type.Optional(callback),
    callback_format: callbackFormat,
  },
  { additionalProperties: false, examples: [{ url: 'https://example.com/', block: ['*://ads.example.net/*'] }] },
);

/** A report is never a job. */
export const PageReportQuery = Type.Omit(PageQuery, ['callback', 'callback_format']);

export const AnalysisRequest = body(
  'AnalysisRequest',
  {
    url: Type.Optional(Type.Union([pageUrl(), Type.Null()], { title: 'Url', description: 'One page URL to analyse' })),
    urls: Type.Optional(
      Type.Union([Type.Array(Type.String(), { minItems: 1, maxItems: mostJobUrls }), Type.Null()], {
        title: 'Urls',
        description: `List of page URLs (batch): at most ${mostBatchUrls}, or ${mostJobUrls} with \`Prefer: respond-async\``,
      }),
    ),
    ...optionProperties('batch'),
    callback: Type.Optional(callback),
    callback_format: callbackFormat,
  },
  {
    description: 'Requires exactly one of `url` and `urls`',
    examples: [{ url: 'https://example.com/', strategy: 'mobile' }],
  },
);
export type AnalysisRequest = Static<typeof AnalysisRequest>;
