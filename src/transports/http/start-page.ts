import type { FastifyInstance } from 'fastify';
import { baseUrlOf } from '../../base/base-url.ts';
import type { Config } from '../../base/config.ts';
import { escapedHtml, htmlPage } from '../../base/html-page.ts';
import { packageVersion } from '../../base/package-root.ts';

/** A door of the service, as the start page and its JSON form list it. */
export type Door = { key: string; path: string; title: string; sentence: string };

const { html, policy } = htmlPage(`
ul { list-style: none; margin: 2.5rem 0; padding: 0; border-top: 1px solid var(--line) }
li { border-bottom: 1px solid var(--line) }
a { display: grid; grid-template-columns: 10rem 1fr; gap: .25rem 1rem; padding: .9rem 0; color: inherit; text-decoration: none }
a:hover b, a:focus-visible b { text-decoration: underline; text-underline-offset: .2em }
b { color: var(--accent); font-weight: 600 }
span { color: var(--soft) }
pre { margin: .75rem 0 0; padding: .9rem 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; font: 12.5px/1.5 ui-monospace, monospace }
@media (max-width: 34rem) { a { grid-template-columns: 1fr } }
`);

function page(doors: readonly Door[], baseUrl: string): string {
  const rows = doors.map(
    ({ path, title, sentence }) =>
      `<li><a href="${escapedHtml(path)}"><b>${escapedHtml(title)}</b><span>${escapedHtml(sentence)}</span></a></li>`,
  );
  const call = `curl ${baseUrl}/api/vehicles -H "Authorization: Bearer $ODOGRAPH_TOKEN"`;
  return html(
    'Odograph',
    `<h1>Odograph</h1>
<p>What your vehicles do, recorded here and answered over GraphQL and REST. Version ${escapedHtml(packageVersion)}.</p>
<ul>
${rows.join('\n')}
</ul>
<p>From a terminal, with a token that holds the scope <b>vehicles</b>:</p>
<pre>${escapedHtml(call)}</pre>`,
  );
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
