/** Types that browsers preload, and the type of a URL by its extension. */

/** Values of `as` that browsers preload; others of the HTML standard have no effect. */
export const preloadTypes = ['fetch', 'font', 'image', 'script', 'style', 'track'] as const;

const extensions: readonly (readonly [RegExp, (typeof preloadTypes)[number]])[] = [
  [/\.css$/i, 'style'],
  [/\.m?js$/i, 'script'],
  [/\.(woff2?|ttf|otf)$/i, 'font'],
  [/\.(avif|bmp|gif|ico|jpe?g|jxl|png|svg|webp)$/i, 'image'],
  [/\.vtt$/i, 'track'],
];

/** Returns the type for the file extension of a URL; undefined if it is unknown. */
export const guessPreloadType = (url: string): string | undefined => {
  const { pathname } = new URL(url);
  return extensions.find(([ending]) => ending.test(pathname))?.[1];
};
