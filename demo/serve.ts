/** `npm run site` serves the sample pages on port 3000, to have something to measure. */
import { startSite } from './site.ts';

const { url } = await startSite(Number(process.env.PORT ?? 3000));
console.log(`Sample pages: ${url}/good.html and ${url}/faulty.html`);
