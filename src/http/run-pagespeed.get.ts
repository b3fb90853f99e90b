import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import { answerAsPsi, type PsiQuestion } from '../analysis/answer-as-psi.ts';
import type { LocalAnalyser } from '../lighthouse/pool.ts';
import { invalidEnum, invalidParameter, type PsiErrorBody, toPsiFailure } from '../psi/failure.ts';
import { type Category, categoryNames, type Strategy } from '../report/report.ts';
import { toPageUrl } from '../targets/page-url.ts';
import type { TargetPolicy } from '../targets/policy.ts';
import { sendJson } from './answer.ts';
import { CallerLeft, callerSignal } from './caller.ts';
import { toFailure } from './problem.ts';
import { logFailure } from './request-log.ts';
import type { Route, RouteParts } from './route.ts';

const RunPagespeedQuery = Type.Object({
  url: Type.String({ description: 'Page to analyse' }),
  category: Type.Optional(
    Type.Array(Type.Enum(['ACCESSIBILITY', 'BEST_PRACTICES', 'PERFORMANCE', 'SEO']), {
      description: 'May be repeated, in any spelling; only PERFORMANCE when absent',
    }),
  ),
  strategy: Type.Optional(Type.Enum(['DESKTOP', 'MOBILE'], { default: 'DESKTOP' })),
  locale: Type.Optional(Type.String({ default: 'en-US' })),
  prettyPrint: Type.Optional(Type.Boolean({ default: true })),
});

/** A request that PSI itself would refuse, with the body it would send. */
class Refusal extends Error {
  readonly body: PsiErrorBody;

  constructor(body: PsiErrorBody) {
    super(body.error.message);
    this.name = 'Refusal';
    this.body = body;
  }
}

const urlPattern = '(?i)(url:|origin:)?http(s)?://.*';

const readUrl = (text: string): string => {
  const page = toPageUrl(text.replace(/^(url|origin):(?=https?:)/i, ''));
  if ('href' in page) return page.href;
  const message = `Invalid value '${text}'. Values must match the following regular expression: '${urlPattern}'`;
  throw new Refusal(invalidParameter('url', message));
};

const readStrategy = (text: string): Strategy => {
  const name = text.toLowerCase();
  if (name === 'mobile') return 'mobile';
  if (name === 'desktop' || name === '' || name === 'strategy_unspecified') return 'desktop';
  throw new Refusal(invalidEnum('strategy', text));
};

/** Known to PSI's clients, and left out of the answer. */
const ignoredCategories = new Set(['pwa', 'agentic-browsing', 'category-unspecified', '']);

const readCategories = (texts: readonly string[]): Category[] => {
  const asked = texts.flatMap(text => text.split(','));
  const categories = asked.flatMap(text => {
    const name = text.trim().toLowerCase().replaceAll('_', '-');
    const category = categoryNames.find(known => known === name);
    if (category) return [category];
    if (ignoredCategories.has(name)) return [];
    throw new Refusal(invalidEnum('category', text));
  });
  return categories.length === 0 ? ['performance'] : [...new Set(categories)];
};

const readLocale = (text: string): string => {
  if (!/^[a-z]+([_-][a-z]+)?$/i.test(text))
    throw new Refusal(
      invalidParameter(
        'locale',
        `Invalid value '${text}'. Values must match the following regular expression: '[a-zA-Z]+((_|-)[a-zA-Z]+)?'`,
      ),
    );
  return text.replace('_', '-');
};

const readQuestion = (query: URLSearchParams): PsiQuestion => ({
  url: readUrl(query.get('url') ?? ''),
  strategy: readStrategy(query.get('strategy') ?? ''),
  categories: readCategories(query.getAll('category')),
  locale: readLocale(query.get('locale') || 'en-US'),
});

/** A failure in Google's envelope. */
export const sendPsiFailure = (reply: FastifyReply, error: unknown): FastifyReply => {
  if (error instanceof Refusal) return sendJson(reply, JSON.stringify(error.body, null, 2), 400);
  const failure = toFailure(error);
  logFailure(reply, failure);
  if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', failure.retryAfterSeconds);
  const body = toPsiFailure(failure);
  return sendJson(reply, JSON.stringify(body, null, 2), body.error.code);
};

/** PageSpeed Insights v5 as its clients know it, from this machine. Google's words for errors, not ours. */
export const runPagespeedRoute = (sources: RouteParts & { policy: TargetPolicy; local: LocalAnalyser }): Route => ({
  operation: {
    method: 'GET',
    path: '/pagespeedonline/v5/runPagespeed',
    tag: 'psi v5',
    access: 'psi key',
    summary: 'PageSpeed Insights v5, answered by local Lighthouse',
    description: "A PSI v5 endpoint for its usual clients. Parameters, answer and errors are Google's.",
    query: RunPagespeedQuery,
    validates: false,
    fails: false,
  },
  free: false,
  handle: async (request, reply) => {
    const query = new URLSearchParams(request.query as string);
    try {
      const question = readQuestion(query);
      await sources.admit(request, [question.url]);
      const result = await answerAsPsi(sources, question, callerSignal(reply));
      return sendJson(reply, JSON.stringify(result, null, /^(false|0)$/i.test(query.get('prettyPrint') ?? '') ? 0 : 2));
    } catch (error) {
      if (error instanceof CallerLeft) throw error;
      return sendPsiFailure(reply, error);
    }
  },
});
