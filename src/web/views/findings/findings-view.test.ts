import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toText } from '../../../../test/support/template-text.ts';
import { buildFailedAudit, buildResult } from '../../../../test/web/reports.ts';
import { groupFindings } from '../../../presentation/findings/findings.ts';
import { toSideNames } from '../../../presentation/side-names.ts';
import { bestFixesView } from './findings-view.ts';

test('first fixes say what their points are, or that a full score has none to gain', () => {
  const noteFor = (performance: number, points?: number) => {
    const failed = [buildFailedAudit('cache-insight', points === undefined ? {} : { points })];
    const result = buildResult({ scores: { performance }, failed_audits: failed });
    const view = bestFixesView(groupFindings(result), { result, names: toSideNames(undefined) }, () => undefined);
    return /Fix first <span[^>]*>([^<]*)/.exec(toText(view))?.[1];
  };
  assert.equal(noteFor(90, 4), 'points at most, each fix alone');
  assert.equal(noteFor(100), 'performance is 100 already');
  assert.equal(noteFor(90), '');
});
