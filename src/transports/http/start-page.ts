import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { baseUrlOf } from '../../base/base-url.ts';
import type { Config } from '../../base/config.ts';
import { packageVersion } from '../../base/package-root.ts';

/** A door of the service, as the start page and its JSON form list it. */
export type Door = { key: string; path: string; title: string; sentence: string };

const style = `
:root { color-scheme: light dark; --ink: #1a1d21; --soft: #5c6670; --line: #e2e5e9; --paper: #fbfbfa; --accent: #0b6e4f }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --soft: #9aa4ae; --line: #2c3238; --paper: #14171a; --accent: #5ad1a5 }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif }
main { max-width: 46rem; margin: 0 auto; padding: clamp(2rem, 8vw, 6rem) 1.25rem }
h1 { margin: 0; font-size: 2rem; letter-spacing: -.02em }
p { margin: .5rem 0 0; color: var(--soft) }
ul { list-style: none; margin: 2.5rem 0; padding: 0; border-top: 1px solid var(--line) }
li { border-bottom: 1px solid var(--line) }
a { display: grid; grid-template-columns: 10rem 1fr; gap: .25rem 1rem; padding: .9rem 0; color: inherit; text-decoration: none }
a:hover b, a:focus-visible b { text-decoration: underline; text-underline-offset: .2em }
b { color: var(--accent); font-weight: 600 }
span { color: var(--soft) }
pre { margin: .75rem 0 0; padding: .9rem 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; font: 12.5px/1.5 ui-monospace, monospace }
@media (max-width: 34rem) { a { grid-template-columns: 1fr } }
`;

// The one inline style is named by its hash, so that the policy allows it and nothing else.
const styleHash = createHash('sha256').update(style).digest('base64');
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function page(doors: readonly Door[], baseUrl: string): string {
  const rows = doors.map(
    ({ path, title, sentence }) =>
      `<li><a href="${escaped(path)}"><b>${escaped(title)}</b><span>${escaped(sentence)}</span></a></li>`,
  );
  const call = `curl ${baseUrl}/api/vehicles -H "Authorization: Bearer $ODOGRAPH_TOKEN"`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Odograph</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${style}</style>
<main>
<h1>Odograph</h1>
<p>What your vehicles do, recorded here and answered over GraphQL and REST. Version ${escaped(packageVersion)}.</p>
<ul>
${rows.join('\n')}
</ul>
<p>From a terminal, with a token that holds the scope <b>vehicles</b>:</p>
<pre>${escaped(call)}</pre>
</main>
</html>
`;
}

/** `GET /`: a page with the doors for browsers, the same as JSON for everybody else (experience §6.4). */
export function addStartPage(app: FastifyInstance, config: Config, doors: readonly Door[]): void {
  app.get('/', async (request, reply) => {
    const baseUrl = baseUrlOf(config.baseUrl, request);
    reply.header('Vary', 'Accept').header('Cache-Control', 'no-cache');
    if (request.headers.accept?.includes('text/html')) {
      reply.type('text/html; charset=utf-8').header('Content-Security-Policy', policy);
      return page(doors, baseUrl);
    }
    const urls = doors.map(({ key, path }) => [key, baseUrl + path]);
    return { service: 'odograph', version: packageVersion, ...Object.fromEntries(urls) };
  });
}
