/**
 * Lighthouse runs every rule of axe as soon as one audit asks for one: a request for SEO, which has two, pays for some
 * sixty. Here axe gets only the rules whose audits are asked for. Lighthouse's own gatherer stays: it is started with one
 * more line before it, and reads what axe answers as ever. own-axe-rules.test.ts notices when it works otherwise.
 */
import type { Config } from 'lighthouse';
import defaultConfig from 'lighthouse/core/config/default-config.js';
import Accessibility from 'lighthouse/core/gather/gatherers/accessibility.js';

type Context = Parameters<Accessibility['getArtifact']>[0];
/** The source of axe comes first of what the main function needs. */
type Evaluate = (main: unknown, options: { deps: unknown[] }) => Promise<unknown>;

/** In the page, after axe is there. An audit of Lighthouse's has the id of its rule. */
const limitAxe = (audits: readonly string[]): string => `{
  const audits = new Set(${JSON.stringify(audits)});
  const run = window.axe.run.bind(window.axe);
  window.axe.run = (node, { rules, ...options }) => {
    const values = window.axe.getRules().map(({ ruleId }) => ruleId).filter(id => audits.has(id));
    return run(node, { ...options, runOnly: { type: 'rule', values } });
  };
}`;

class OwnAxeRules extends Accessibility {
  readonly #limit: string;

  constructor(audits: readonly string[]) {
    super();
    this.#limit = limitAxe(audits);
  }

  override getArtifact(context: Context) {
    const { executionContext } = context.driver;
    const evaluate: Evaluate = (main, { deps: [axe, ...others], ...options }) =>
      executionContext.evaluate(main, { ...options, deps: [axe, this.#limit, ...others] });
    const limited = Object.create(executionContext, { evaluate: { value: evaluate } });
    return super.getArtifact({
      ...context,
      driver: Object.create(context.driver, { executionContext: { value: limited } }),
    });
  }
}

/**
 * A configuration in which axe runs no other rules than those of these categories. It extends no other, because the one
 * gatherer could not be replaced then: so it has all of Lighthouse's own.
 */
export function withOwnAxeRules(config: Config | undefined, categories: readonly string[]): Config {
  const audits = categories.flatMap(name => (defaultConfig.categories?.[name]?.auditRefs ?? []).map(({ id }) => id));
  const gatherer = { instance: new OwnAxeRules(audits) };
  const artifacts = (defaultConfig.artifacts ?? []).map(each =>
    each.id === 'Accessibility' ? { ...each, gatherer } : each,
  );
  const { extends: _, ...own } = config ?? {};
  return { ...defaultConfig, ...own, artifacts };
}
