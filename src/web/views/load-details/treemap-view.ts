/** Displays the scripts of a page as areas by size, with unused code; and as a table. */

import { html, nothing, svg } from 'lit-html';
import { type Box, toTiles } from '../../../presentation/full-result/tiles.ts';
import {
  isMeasured,
  maxScripts,
  type Script,
  type ScriptPart,
  toScriptTotal,
} from '../../../presentation/full-result/treemap.ts';
import { absent, counted, formatBytes } from '../../../presentation/numbers.ts';
import { detailsTable, percent, valuesRow } from '../marks.ts';
import type { LinkRequest } from './load-details-state.ts';

/** Aspect ratio of the drawing, suitable for a column. */
const aspect = 1.8;
const whole: Box = { x: 0, y: 0, width: 100 * aspect, height: 100 };

const shareOf = ({ bytes, unusedBytes }: ScriptPart): number | undefined =>
  unusedBytes === undefined || bytes === 0 ? undefined : unusedBytes / bytes;

const sayPart = (part: ScriptPart): string => {
  const share = shareOf(part);
  return `${formatBytes(part.bytes)}${share === undefined ? '' : `, ${percent(share)} not run`}`;
};

/** Converts positions to percent, so that the drawing fills the width without scaling its text. */
const placed = ({ x, y, width, height }: Box) => ({
  x: `${(x / aspect).toFixed(2)}%`,
  y: `${y.toFixed(2)}%`,
  width: `${(width / aspect).toFixed(2)}%`,
  height: `${height.toFixed(2)}%`,
});

const unusedRect = (part: ScriptPart) => {
  const share = shareOf(part) ?? 0;
  return share === 0
    ? nothing
    : svg`<rect class="unused" x="0" y="${(100 * (1 - share)).toFixed(2)}%" width="100%" height="${(100 * share).toFixed(2)}%" />`;
};

/** Returns the label of a tile with enough space for text; overflow is cut off. */
const labelled = (part: ScriptPart, { width, height }: Box) =>
  width < 34 || height < 16
    ? nothing
    : svg`<text x="7" y="19" class="tile-name">${part.name}</text><text x="7" y="36">${sayPart(part)}</text>`;

const tileView = (part: ScriptPart, box: Box, title: string) => {
  const { x, y, width, height } = placed(box);
  return svg`<svg x=${x} y=${y} width=${width} height=${height}>
    <title>${title}: ${sayPart(part)}</title>
    <rect class="tile" width="100%" height="100%" />${unusedRect(part)}<rect class="tile-edge" width="100%" height="100%" />
    ${labelled(part, box)}
  </svg>`;
};

/** Draws a script with its parts and its border. */
function scriptTiles(script: Script, box: Box) {
  if (script.parts.length === 0) return tileView(script, box, script.url);
  const boxes = toTiles(
    script.parts.map(({ bytes }) => bytes),
    box,
  );
  const { x, y, width, height } = placed(box);
  return svg`${script.parts.map((part, at) => tileView(part, boxes[at] ?? box, `${script.name}: ${part.name}`))}
    <rect class="script-edge" x=${x} y=${y} width=${width} height=${height} />`;
}

const scriptRow = (part: ScriptPart, name: unknown, transferBytes?: number) => {
  const share = shareOf(part);
  const unused =
    part.unusedBytes === undefined || share === undefined
      ? absent
      : html`${formatBytes(part.unusedBytes)} <span class="quiet">${percent(share)}</span>`;
  return valuesRow(
    name,
    [formatBytes(part.bytes), transferBytes === undefined ? '' : formatBytes(transferBytes), unused],
    'url',
  );
};

const partName = ({ name }: ScriptPart) =>
  html`<span class="quiet" aria-hidden="true">·\u00a0</span><code>${name}</code>`;

export const scriptName = ({ url, entity }: Pick<Script, 'url' | 'entity'>, link: LinkRequest) =>
  html`<code>${url}</code>${entity ? html`<span class="note">${entity}</span>` : nothing}${link(url)}`;

const sayTotal = (scripts: readonly Script[]): string => {
  const [all, measured] = [toScriptTotal(scripts), toScriptTotal(scripts.filter(isMeasured))];
  const sum = `${counted(scripts.length, 'script')}, ${formatBytes(all.bytes)} unpacked`;
  if (measured.unusedBytes === undefined || measured.bytes === 0) return `${sum}.`;
  const base =
    measured.bytes < all.bytes ? `. Of the ${formatBytes(measured.bytes)} whose use was measured,` : ', of which';
  const unused = `${formatBytes(measured.unusedBytes)} (${percent(measured.unusedBytes / measured.bytes)})`;
  return `${sum}${base} ${unused} did not run before the end of the load.`;
};

/** @param scripts scripts, largest first */
export function treemapView(scripts: readonly Script[], link: LinkRequest) {
  if (scripts.length === 0)
    return html`<p class="quiet">The analyser sent no sizes of scripts, or the page has none.</p>`;
  const drawn = scripts.slice(0, maxScripts);
  const boxes = toTiles(
    drawn.map(({ bytes }) => bytes),
    whole,
  );
  return html`
    <p>${sayTotal(scripts)}</p>
    <svg class="treemap" role="img" aria-label="Scripts as areas by size. The table below contains the same data.">
      ${drawn.map((script, at) => scriptTiles(script, boxes[at] ?? whole))}
    </svg>
    <p class="small quiet tile-keys row"><span><i class="tile-key"></i>ran</span> <span><i class="tile-key" data-unused="true"></i>did not run</span></p>
    ${detailsTable(
      'Scripts and their sizes',
      ['Script', 'Unpacked', 'Sent', 'Not run'],
      scripts.map(
        script =>
          html`${scriptRow(script, scriptName(script, link), script.transferBytes)} ${script.parts.map(part => scriptRow(part, partName(part)))}`,
      ),
      'tall',
    )}
    ${scripts.length > maxScripts ? html`<p class="small quiet">The ${maxScripts} largest are drawn; the table has all of them.</p>` : nothing}
    <p class="small quiet">Code that did not run in this load may run after a click. Modules come from source maps, if the page has them.</p>`;
}
