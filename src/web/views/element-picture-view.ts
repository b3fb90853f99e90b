import { html, svg } from 'lit-html';
import type { ElementPicture } from '../../presentation/full-result/pictures.ts';

/** Margin around the element, in pixels of the page, so that users recognise the place. */
const margin = 24;
/** Max displayed width: a long line would be too small to read. */
const lineWidth = 320;

/** Displays the element with a frame, as a part of the full-page screenshot. */
export function elementPicture(picture: ElementPicture, label: string) {
  const { source, width, height, left, top, elementWidth, elementHeight } = picture;
  const [x, y] = [Math.max(0, left - margin), Math.max(0, top - margin)];
  // A tall element is displayed from its top, a wide one from its left.
  const shownHeight = Math.min(elementHeight, elementWidth * 1.5);
  const shownWidth = Math.min(elementWidth, Math.max(lineWidth, 4 * shownHeight));
  const [w, h] = [Math.min(width, left + shownWidth + margin) - x, Math.min(height, top + shownHeight + margin) - y];
  return html`<svg class="element-picture" role="img" aria-label=${label} viewBox="${x} ${y} ${w} ${h}">
    ${svg`<image href=${source} width=${width} height=${height} />
      <rect class="frame stack" x=${left} y=${top} width=${elementWidth} height=${shownHeight} />`}
  </svg>`;
}
