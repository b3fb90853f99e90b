import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import desktopConfig from 'lighthouse/core/config/desktop-config.js';
import { withOwnAxeRules } from './own-axe-rules.ts';

type Options = { runOnly?: { type: string; values: string[] }; rules?: object; elementRef?: boolean };

/** Returns the scripts that the gatherer runs in the page, in their order. */
async function readScripts(categories: readonly string[]): Promise<string[]> {
  const { artifacts } = withOwnAxeRules(undefined, categories);
  const { gatherer } = artifacts?.find(({ id }) => id === 'Accessibility') ?? assert.fail();
  const asked: unknown[][] = [];
  const evaluate = async (_main: unknown, { deps }: { deps: unknown[] }) => void asked.push(deps);
  const { instance } = gatherer as unknown as { instance: { getArtifact(context: unknown): Promise<unknown> } };
  await instance.getArtifact({ driver: { executionContext: { evaluate } } });
  return asked[0]?.map(String) ?? assert.fail();
}

/** Runs axe with options as Lighthouse does. @returns the options that reached axe */
async function runLimited(limit: string, options: Options): Promise<Options> {
  const asked: Options[] = [];
  const ids = ['image-alt', 'document-title', 'color-contrast', 'button-name'];
  const axe = {
    getRules: () => ids.map(ruleId => ({ ruleId })),
    run: async (_node: unknown, given: Options) => void asked.push(given),
  };
  const window = { axe };
  runInNewContext(limit, { window, Set });
  await window.axe.run('document', options);
  return structuredClone(asked[0] ?? assert.fail());
}

test("axe gets only the rules of the SEO audits, and Lighthouse's other settings", async () => {
  const [axe = '', limit = '', ...others] = await readScripts(['seo']);
  assert.match(axe.slice(0, 200), /axe v\d/, 'axe comes first');
  assert.ok(others.some(script => script.includes('axe.run(document')));
  const usual = { elementRef: true, runOnly: { type: 'tag', values: ['wcag2a'] }, rules: { 'button-name': {} } };
  assert.deepEqual(await runLimited(limit, usual), {
    elementRef: true,
    runOnly: { type: 'rule', values: ['image-alt', 'document-title'] },
  });
});

test('the settings of a preset stay, and all other gatherers are Lighthouse’s own', () => {
  const config = withOwnAxeRules(desktopConfig, ['seo']);
  assert.equal(config.settings?.formFactor, 'desktop');
  const others = config.artifacts?.filter(({ gatherer }) => typeof gatherer !== 'string').map(({ id }) => id);
  assert.deepEqual(others, ['Accessibility']);
  assert.ok(config.audits?.length && config.categories?.seo);
});
