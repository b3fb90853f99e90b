/**
 * Changes that the study of verdicts plants into pages. The rules were made with `tableKinds`; `heldOutKinds` were
 * selected before the rules and run once.
 */

/** Parts of a page that a kind can change: its document, and how files are delivered. */
export type PageParts = {
  /** Markup at the start of the head. */
  head: readonly string[];
  /** Markup at the start of the body. */
  top: readonly string[];
  /** Markup at the end of the body. */
  bottom: readonly string[];
  /** Response time of the document, in milliseconds. */
  documentDelayMs: number;
  /** Temporary redirects before the document. */
  redirects: number;
  /** Bytes of the largest picture; undefined if the page has none. */
  heroBytes: number | undefined;
  /** Attributes of the largest picture other than `src`, `alt` and its size. */
  heroAttributes: string;
  /** Whether 50 small pictures far below the fold load lazily. */
  isGalleryLazy: boolean;
  /** Whether the server compresses text. */
  isCompressed: boolean;
  /** How the script of 500 KB is loaded. */
  vendor: 'defer' | 'blocking' | 'none';
  /** Transforms the HTML of the document. */
  rewrite?: (html: string) => string;
};

export type Kind = {
  readonly name: string;
  readonly change: (parts: PageParts) => PageParts;
  /** CPU share of the service while it measures this side: 1 is one CPU. */
  readonly cpuShare?: number;
  /** Undefined if the change is expected to have no meaningful effect. */
  readonly expected?: 'better' | 'worse';
};

const withHead =
  (...markup: string[]) =>
  (parts: PageParts): PageParts => ({ ...parts, head: [...parts.head, ...markup] });
const withHero =
  (bytes: (before: number) => number | undefined) =>
  (parts: PageParts): PageParts => ({ ...parts, heroBytes: bytes(parts.heroBytes ?? 0) });
const kilobytes = 1000;

export const unchanged: Kind = { name: 'unchanged', change: parts => parts };

export const tableKinds: readonly Kind[] = [
  {
    name: 'blocking script, 300 ms',
    change: withHead('<script src="/planted/work-300.js"></script>'),
    expected: 'worse',
  },
  {
    name: 'blocking script, 800 ms',
    change: withHead('<script src="/planted/work-800.js"></script>'),
    expected: 'worse',
  },
  { name: 'largest picture +100 KB', change: withHero(before => before + 100 * kilobytes), expected: 'worse' },
  { name: 'largest picture +400 KB', change: withHero(before => before + 400 * kilobytes), expected: 'worse' },
  { name: 'largest picture removed', change: withHero(() => undefined), expected: 'better' },
  { name: 'server +300 ms', change: parts => ({ ...parts, documentDelayMs: 300 }), expected: 'worse' },
  { name: 'gzip off', change: parts => ({ ...parts, isCompressed: false }), expected: 'worse' },
  {
    name: 'third-party tag, 300 KB and 300 ms',
    change: withHead('<script src="http://127.0.0.2:48212/planted/tag.js" async></script>'),
    expected: 'worse',
  },
  {
    name: 'font that blocks',
    change: withHead('<link rel="stylesheet" href="/planted/font.css">'),
    expected: 'worse',
  },
  { name: '50 pictures eagerly', change: parts => ({ ...parts, isGalleryLazy: false }), expected: 'worse' },
];

/** Changes that experiments must find. The script is about 300 KB over the network. */
export const experimentKinds: readonly Kind[] = [
  { name: 'server +300 ms', change: parts => ({ ...parts, documentDelayMs: 300 }), expected: 'worse' },
  {
    name: 'blocking script, 300 KB',
    change: withHead('<script src="/planted/large.js"></script>'),
    expected: 'worse',
  },
  {
    name: 'long task, 1 s',
    change: parts => ({ ...parts, bottom: [...parts.bottom, '<script src="/planted/work-1000.js" defer></script>'] }),
    expected: 'worse',
  },
];

const longTasks = `<script>addEventListener('load', () => { let left = 6;
const next = () => { let sum = 0; for (let at = 0; at < 4e7; at += 1) sum += Math.sqrt(at);
window.sum = sum; if (--left > 0) setTimeout(next, 0); }; setTimeout(next, 0); });</script>`;
const lateBanner = `<div id="banner"></div><script>setTimeout(() => {
document.querySelector('#banner').style.height = '240px'; }, 400);</script>`;
const lateHeadline = `<div id="late"></div><script>fetch('/planted/headline.json').then(reply => reply.json())
.then(({ text }) => { document.querySelector('#late').innerHTML = '<p style="font-size:44px">' + text + '</p>'; });</script>`;

/** Kinds selected before the rules were finished, and run once. */
export const heldOutKinds: readonly Kind[] = [
  { name: 'a redirect', change: parts => ({ ...parts, redirects: 1 }), expected: 'worse' },
  {
    name: 'blocking style sheet, 80 KB',
    change: withHead('<link rel="stylesheet" href="/planted/large.css">'),
    expected: 'worse',
  },
  {
    name: '4,000 more elements',
    change: parts => ({ ...parts, bottom: [...parts.bottom, '<p><b>More</b> <i>boats</i></p>'.repeat(1333)] }),
    expected: 'worse',
  },
  {
    name: 'largest picture loaded lazily',
    change: parts => ({ ...parts, heroAttributes: `${parts.heroAttributes} loading="lazy"` }),
    expected: 'worse',
  },
  {
    name: 'a banner that moves the page',
    change: parts => ({ ...parts, top: [lateBanner, ...parts.top] }),
    expected: 'worse',
  },
  {
    name: '200 KB more script, deferred',
    change: withHead('<script src="/planted/more.js" defer></script>'),
    expected: 'worse',
  },
  { name: 'script deferred or blocking', change: parts => ({ ...parts, vendor: 'blocking' }), expected: 'worse' },
  {
    name: 'six long tasks after the load',
    change: parts => ({ ...parts, bottom: [...parts.bottom, longTasks] }),
    expected: 'worse',
  },
  {
    name: 'headline from a slow API',
    change: parts => ({ ...parts, top: [lateHeadline, ...parts.top] }),
    expected: 'worse',
  },
  { name: 'a comment in the document', change: parts => ({ ...parts, bottom: [...parts.bottom, '<!-- 2 -->'] }) },
  { name: 'largest picture 60 % smaller', change: withHero(before => Math.round(0.4 * before)), expected: 'better' },
  { name: 'script of 500 KB removed', change: parts => ({ ...parts, vendor: 'none' }), expected: 'better' },
];
