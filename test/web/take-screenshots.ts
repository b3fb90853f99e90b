/**
 * `npm run screenshots` takes pictures of the main states of the page, with a real service and the sample site, into
 * `docs/images`, each next to a text with the parts of its page.
 * `npm run screenshots -- FOLDER` takes every state at every width, light and dark, for review.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { openPage, startBrowser } from './browser.ts';
import { describePage, type OpenShot, pictureFolder, type Shot, shots, startPictured } from './pictures.ts';
import { leadTo, stateNames } from './states.ts';

const hooks: (() => Promise<void> | void)[] = [];
const scope = { after: (hook: () => Promise<void> | void) => void hooks.push(hook) };
const browser = await startBrowser(scope);

async function take(open: OpenShot, shot: Shot): Promise<void> {
  const page = await open(shot);
  await page.screenshot({ path: `${pictureFolder}${shot.name}.png` });
  await writeFile(`${pictureFolder}${shot.name}.txt`, await describePage(page));
  await page.close();
  console.log(`docs/images/${shot.name}.png`);
}

/** A window of 1280 pixels at a zoom of 200 % is 640 CSS pixels wide. */
const widths = [320, 360, 640, 768, 1280] as const;

async function takeStates(into: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const name of stateNames) {
      const page = await openPage(scope, browser, { reducedMotion: 'reduce', colorScheme });
      await leadTo(scope, page, name);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        await page.screenshot({ path: `${into}/${name}-${width}-${colorScheme}.png`, fullPage: true });
      }
      await page.context().close();
    }
}

const [into] = process.argv.slice(2);
try {
  await mkdir(into ?? pictureFolder, { recursive: true });
  if (into === undefined) {
    const open = await startPictured(scope, browser);
    for (const shot of shots) await take(open, shot);
  } else await takeStates(into);
} finally {
  for (const hook of hooks.reverse()) await hook();
}
// The service that all states share ends with the tests of a process, and this process has none.
process.exit();
