import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scope } from './start-service.ts';

/** An empty folder that is removed when the test ends. */
export function makeScratchFolder(scope: Scope): string {
  const folder = mkdtempSync(join(tmpdir(), 'rangelight-test-'));
  scope.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}
