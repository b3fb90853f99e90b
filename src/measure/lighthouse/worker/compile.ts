/** Imports a worker's modules, so that Node caches the compiled code, and ends: see ../worker-processes/compiled-code.ts. */
import 'lighthouse';
import 'puppeteer-core';
import { importLighthouse } from './simulation/re-audit.ts';

await importLighthouse();
