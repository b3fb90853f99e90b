/** Imports what a worker imports, so that Node keeps the compiled code, and ends: see ../compiled-code.ts. */
import 'lighthouse';
import 'puppeteer-core';
import { importLighthouse } from './lighthouse-modules.ts';
import './re-audit.ts';

await importLighthouse();
