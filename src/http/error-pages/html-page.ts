import { escapeMarkup } from '../../web/report/markup.ts';

/**
 * Escapes text and quoted attributes. Control characters and those that change the reading direction become visible.
 */
export function escapeHtml(text: string): string {
  return escapeMarkup(text).replace(/[\p{Cc}\p{Bidi_Control}]/gu, toVisible);
}

// The characters from U+2400 on are pictures of the control characters from U+0000.
function toVisible(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd';
}

/**
 * Renders a self-contained page: no script and no further request (the empty icon prevents the browser's request for
 * one).
 */
export function toHtmlPage({
  title,
  body,
}: {
  readonly title: string;
  /** HTML that is already escaped. */
  readonly body: string;
}): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Rangelight</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<header>${LIGHTS}<span>Rangelight</span></header>
<main>
${body}
</main>
</body>
</html>
`;
}

// The two range lights of the name, out of line, as they are seen off course.
const LIGHTS = `<svg viewBox="0 0 28 28" width="28" height="28" aria-hidden="true"><g stroke="currentColor" stroke-width="2" stroke-linecap="round" opacity=".45"><path d="M19 12v13M8 20v5M3 26h22"/></g><circle class="near" cx="19" cy="7" r="4.5"/><circle class="far" cx="8" cy="15" r="4.5"/></svg>`;

// Amber and teal are reserved for the lights: elsewhere in Rangelight they mean PageSpeed Insights settings and local.
const STYLE = `
:root{--ground:#f1f3f6;--sheet:#fff;--ink:#151a21;--quiet:#55606d;--line:#dce1e7;--amber:#d98200;--teal:#0b7a70}
@media(prefers-color-scheme:dark){:root{--ground:#12161c;--sheet:#1d232b;--ink:#e8ecf1;--quiet:#a3aebb;--line:#2d3640;--amber:#ffb53e;--teal:#45cdbd}}
*{box-sizing:border-box}
body{margin:0;padding:1.5rem 1rem 3rem;background:var(--ground);color:var(--ink);font:1rem/1.6 system-ui,sans-serif}
header,main{max-width:44rem;margin-inline:auto}
header{display:flex;align-items:center;gap:.6rem;font-weight:600}
.near{fill:var(--amber)}
.far{fill:var(--teal)}
main{margin-top:clamp(1.5rem,8vh,5rem)}
h1{margin:0 0 .75rem;font-size:clamp(1.6rem,5vw,2.2rem);line-height:1.2;text-wrap:balance;overflow-wrap:anywhere}
h2{margin:2.5rem 0 .75rem;font-size:1.1rem}
p{margin:0 0 1rem}
.status{margin:0 0 .25rem;color:var(--quiet);font-variant-numeric:tabular-nums}
code,pre{font:.9rem/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;unicode-bidi:isolate}
code{overflow-wrap:anywhere}
.message,pre{margin:0 0 1.5rem;padding:.8rem 1rem;max-height:24rem;overflow:auto;background:var(--sheet);border:1px solid var(--line);border-radius:.5rem}
dl{margin:0 0 1.5rem;display:grid;grid-template-columns:minmax(5rem,auto) 1fr;gap:.35rem 1.25rem}
dt{color:var(--quiet)}
dd{margin:0;min-width:0}
a{color:inherit;text-underline-offset:.2em}
.way{display:inline-block;padding:.6rem 1.1rem;min-height:44px;background:var(--ink);color:var(--ground);border-radius:.5rem;font-weight:600;text-decoration:none}
.way:hover{text-decoration:underline}
:focus-visible{outline:3px solid var(--quiet);outline-offset:3px}
@media(max-width:480px){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.6rem}}
`;
