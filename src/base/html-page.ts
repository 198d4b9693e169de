import { createHash } from 'node:crypto';

const commonStyle = `
:root { color-scheme: light dark; --ink: #1a1d21; --soft: #5c6670; --line: #e2e5e9; --paper: #fbfbfa; --accent: #0b6e4f }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --soft: #9aa4ae; --line: #2c3238; --paper: #14171a; --accent: #5ad1a5 }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif }
main { max-width: 46rem; margin: 0 auto; padding: clamp(2rem, 8vw, 6rem) 1.25rem }
h1 { margin: 0; font-size: 2rem; letter-spacing: -.02em }
p { margin: .5rem 0 0; color: var(--soft) }
`;

/** Text as it stands in HTML, in attributes too. */
export function escapedHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** A page that the server writes: `html` of what stands in `main`, and the policy to send with it. */
export type HtmlPage = { html: (title: string, main: string) => string; policy: string };

/** Pages with one inline style, which the policy names by its hash: it allows that and nothing else, scripts least of all. */
export function htmlPage(ownStyle: string): HtmlPage {
  const style = `${commonStyle}${ownStyle}`;
  const hash = createHash('sha256').update(style).digest('base64');
  return {
    policy: `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    html: (title, main) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapedHtml(title)}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${style}</style>
<main>
${main}
</main>
</html>
`,
  };
}
