import { html, svg } from 'lit-html';
import type { ElementPicture } from '../../presentation/whole/pictures.ts';

/** Enough of the page around it to find it again, in pixels of the page. */
const margin = 24;
/** Of a long line its beginning: all of it would be too small to read. */
const lineWidth = 320;

/** The element as it stands on the page, framed: a part of the one picture of the whole page. */
export function elementPicture(picture: ElementPicture, label: string) {
  const { source, width, height, left, top, elementWidth, elementHeight } = picture;
  const [x, y] = [Math.max(0, left - margin), Math.max(0, top - margin)];
  // A tall element is shown from its top, a flat one from its left.
  const shownHeight = Math.min(elementHeight, elementWidth * 1.5);
  const shownWidth = Math.min(elementWidth, Math.max(lineWidth, 4 * shownHeight));
  const [w, h] = [Math.min(width, left + shownWidth + margin) - x, Math.min(height, top + shownHeight + margin) - y];
  return html`<svg class="element-picture" role="img" aria-label=${label} viewBox="${x} ${y} ${w} ${h}">
    ${svg`<image href=${source} width=${width} height=${height} />
      <rect class="frame" x=${left} y=${top} width=${elementWidth} height=${shownHeight} />`}
  </svg>`;
}
