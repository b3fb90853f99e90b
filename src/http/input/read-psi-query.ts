import Type from 'typebox';
import type { PsiQuestion } from '../../analysis/answer-as-psi.ts';
import { requestCategories, type Strategy } from '../../contract/names.ts';
import { invalidEnum, invalidMask, invalidParameter, type PsiErrorBody } from '../../measure/psi/wire/error-body.ts';
import { type FieldMask, InvalidFieldMask, readFieldMask } from '../../measure/psi/wire/field-mask.ts';
import { answerFields } from '../../measure/psi/wire/wire-fields.ts';
import { toPageUrl, withoutUserinfo } from '../../measure/targets/page-url.ts';
import { urlError } from './validation-error.ts';

/** Parameters of PSI v5, for the documentation only: a schema cannot express all spellings that v5 accepts. */
export const RunPagespeedQuery = Type.Object({
  url: Type.String({ description: 'Page to analyse; a prefix `url:` or `origin:` is removed' }),
  category: Type.Optional(
    Type.Array(Type.Enum(['ACCESSIBILITY', 'AGENTIC_BROWSING', 'BEST_PRACTICES', 'PERFORMANCE', 'PWA', 'SEO']), {
      description: 'May be repeated; case-insensitive, with `-` or `_`; only PERFORMANCE when absent. PWA is skipped',
    }),
  ),
  strategy: Type.Optional(
    Type.Enum(['DESKTOP', 'MOBILE', 'STRATEGY_UNSPECIFIED'], { default: 'DESKTOP', description: 'Case-insensitive' }),
  ),
  locale: Type.Optional(
    Type.String({
      pattern: '^[a-zA-Z]+((_|-)[a-zA-Z]+)?$',
      default: 'en-US',
      description: 'Language of titles and descriptions; English if Lighthouse has no translation',
    }),
  ),
  fields: Type.Optional(
    Type.String({ description: 'Parts of the response to return, such as `lighthouseResult/categories/*/score`' }),
  ),
  prettyPrint: Type.Optional(Type.Boolean({ default: true, description: 'Indentation and line breaks' })),
  key: Type.Optional(Type.String({ description: 'API key of the client' })),
  utm_campaign: Type.Optional(Type.String({ description: 'Ignored' })),
  utm_source: Type.Optional(Type.String({ description: 'Ignored' })),
});

/** A request that PSI itself would refuse, with the body it would send. */
export class Refusal extends Error {
  readonly body: PsiErrorBody;

  constructor(body: PsiErrorBody) {
    super(body.error.message);
    this.name = 'Refusal';
    this.body = body;
  }
}

/** Patterns in the wording of PSI's refusals. */
const urlPattern = '(?i)(url:|origin:)?http(s)?://.*';
const localePattern = '[a-zA-Z]+((_|-)[a-zA-Z]+)?';

const refuseValue = (name: string, text: string, pattern: string): Refusal =>
  new Refusal(
    invalidParameter(name, `Invalid value '${text}'. Values must match the following regular expression: '${pattern}'`),
  );

const readUrl = (text: string): string => {
  const page = toPageUrl(text.replace(/^(url|origin):(?=https?:)/i, ''));
  if ('href' in page) return page.href;
  // The value matches PSI's pattern, but is not a page. It is not repeated, because it may contain a password.
  if (/^\s*(url:|origin:)?https?:\/\//i.test(text))
    throw new Refusal(invalidParameter('url', `Invalid value for 'url': ${urlError(page.fault)(['url']).msg}`));
  throw refuseValue('url', withoutUserinfo(text), urlPattern);
};

/** Normalises a name: `BEST_PRACTICES`, `best-practices` and `Best_Practices` are the same. */
const toName = (text: string): string => text.trim().toLowerCase().replaceAll('_', '-');

const readStrategy = (text: string): Strategy => {
  const name = toName(text);
  if (name === 'mobile') return 'mobile';
  if (name === 'desktop' || name === '' || name === 'strategy-unspecified') return 'desktop';
  throw new Refusal(invalidEnum('strategy', text));
};

const pwa = 'pwa';
const emptyCategories = ['category-unspecified', ''];

/** Reads categories in the order of the request. Unlike PSI, it splits them at commas, which have no other meaning. */
const readCategories = (values: readonly string[]): Pick<PsiQuestion, 'categories' | 'isPwaAsked'> => {
  const texts = values.flatMap(value => value.split(','));
  const categories = texts.flatMap(text => {
    const name = toName(text);
    const category = requestCategories.find(known => known === name);
    if (!category && name !== pwa && !emptyCategories.includes(name)) throw new Refusal(invalidEnum('category', text));
    return category ?? [];
  });
  return {
    categories: categories.length === 0 ? ['performance'] : [...new Set(categories)],
    isPwaAsked: texts.some(text => toName(text) === pwa),
  };
};

const isLanguageTag = (text: string): boolean => {
  try {
    return Intl.getCanonicalLocales(text).length > 0;
  } catch {
    return false;
  }
};

/** Reads a language. PSI's pattern accepts some invalid ones, such as `a` or `abcdefghi`: they become `en-US`. */
const readLocale = (text: string): string => {
  if (!new RegExp(`^${localePattern}$`).test(text)) throw refuseValue('locale', text, localePattern);
  const tag = text.replace('_', '-');
  return isLanguageTag(tag) ? tag : 'en-US';
};

const readFields = (text: string): FieldMask => {
  try {
    return readFieldMask(text, answerFields);
  } catch (error) {
    if (error instanceof InvalidFieldMask) throw new Refusal(invalidMask(text, error.reason));
    throw error;
  }
};

/** Reads the query of a v5 client. Unknown parameters are ignored. @throws Refusal */
export const readPsiQuestion = (query: URLSearchParams): PsiQuestion => ({
  url: readUrl(query.get('url') ?? ''),
  strategy: readStrategy(query.get('strategy') ?? ''),
  ...readCategories(query.getAll('category')),
  locale: readLocale(query.get('locale') || 'en-US'),
  fields: readFields(query.get('fields') ?? ''),
  indent: indentOf(query),
});

/** Returns the indentation of JSON in spaces, including for errors; 0 for one line. */
export function indentOf(query: URLSearchParams): number {
  return /^(false|0)$/i.test(query.get('prettyPrint') ?? '') ? 0 : 2;
}
