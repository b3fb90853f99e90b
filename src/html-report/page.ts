const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text that stays text. */
export const toText = (text: string): string => text.replaceAll(/[&<>"']/g, character => escapes[character] ?? '');

export const toPage = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${toText(title)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}td{padding:.2rem 1rem .2rem 0}</style>
</head>
<body>
<h1>${toText(title)}</h1>
${body}
</body>
</html>
`;
