/**
 * Limits axe to the rules of the requested audits. Lighthouse runs all of about sixty rules as soon as one audit needs
 * axe, even for the two audits of SEO. Its own gatherer remains in use: one line is added before it starts, and it
 * reads axe's answer as usual. own-axe-rules.test.ts detects changes in Lighthouse.
 */
import type { Config } from 'lighthouse';
import defaultConfig from 'lighthouse/core/config/default-config.js';
import Accessibility from 'lighthouse/core/gather/gatherers/accessibility.js';

/** Evaluates a main function after its dependencies. The first dependency is the source of axe. */
type Evaluate = (main: unknown, options: { deps: unknown[] }) => Promise<unknown>;

/** Script that runs in the page after axe is loaded. Lighthouse's audits have the ids of their rules. */
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

  override getArtifact(context: Parameters<Accessibility['getArtifact']>[0]) {
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
 * Returns a configuration in which axe runs only the rules of these categories. It includes the whole default
 * configuration instead of extending it, because the gatherer could not be replaced otherwise.
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
