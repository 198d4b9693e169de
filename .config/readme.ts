// The tables of README.md, made from the code and put between its markers.
import { configurationTable } from '../src/base/config.ts';
import type { Param } from '../src/contract/commands/command.ts';
import { commandEntries } from '../src/contract/commands.ts';
import { scopes, scopeTable } from '../src/contract/scopes.ts';
import { type Endpoint, endpoints } from '../src/transports/rest/endpoint.ts';
import { liveRoute, snapshotIn } from '../src/transports/rest/live/live-route.ts';

type Row = readonly string[];

function table(head: Row, rows: readonly Row[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function scopesOf({ scopes: needed }: Endpoint): string {
  if (needed === null) return 'none';
  return needed.map((all) => all.map((scope) => `\`${scope}\``).join(' and ')).join(' or ');
}

/** The REST endpoints in the order of the route table, in Markdown. */
export function endpointTable(all: readonly Endpoint[]): string {
  const rows = all.map((endpoint) => {
    const { method, path, summary, apiKey } = endpoint.route;
    return [`\`${method} ${path}\``, scopesOf(endpoint), apiKey ? 'yes' : '', summary];
  });
  const stream = [`\`${liveRoute.method} ${liveRoute.path}\``, '`vehicles`', '', liveRoute.summary];
  const vehicle = all.indexOf(snapshotIn(all));
  rows.splice(vehicle + 1, 0, stream);
  return table(['endpoint', 'scope', '`api_key`', 'what it answers'], rows);
}

/** The five scopes in Markdown. */
export function scopesTable(): string {
  const rows = scopes.map((scope) => {
    const { sentence, grants } = scopeTable[scope];
    return [`\`${scope}\``, sentence, grants];
  });
  return table(['scope', 'what it is for', 'what it opens'], rows);
}

function paramText(name: string, param: Param): string {
  const bounds =
    'min' in param ? ` ${param.min} to ${param.max} ${param.unit ?? ''}`.trimEnd() : '';
  const words = param.kind === 'choice' ? ` ${Object.keys(param.choices).join(', ')}` : '';
  return `\`${name}\`${param.optional ? '?' : ''}${bounds}${words}`;
}

/** The commands in the order of the catalogue, in Markdown. */
export function commandsTable(): string {
  const rows = commandEntries().map(([name, row]) => {
    const others = [
      ...(row.legacy === undefined ? [] : [row.legacy]),
      ...Object.entries(row.shortcuts ?? {}).flatMap(([shortcut, { legacy }]) => [
        shortcut,
        ...(legacy === undefined ? [] : [legacy]),
      ]),
    ];
    const params = Object.entries(row.params).map(([key, param]) => paramText(key, param));
    const note = row.surface === 'passthrough' ? ' Pass-through only.' : '';
    return [
      `\`${name}\``,
      others.map((other) => `\`${other}\``).join(' '),
      row.group,
      params.join('; '),
      row.maker.map(({ command }) => `\`${command}\``).join(' '),
      `${row.sentence}${note}`,
    ];
  });
  const head = ['command', 'other names', 'group', 'parameters', 'maker’s command', 'what it does'];
  return table(head, rows);
}

/** The text with the table of this name between its markers. Throws where the markers are missing. */
function replaced(text: string, name: string, content: string): string {
  const begin = `<!-- ${name}:begin -->`;
  const end = `<!-- ${name}:end -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`README.md has no markers for ${name}.`);
  return `${text.slice(0, from + begin.length)}\n${content}\n${text.slice(to)}`;
}

/** README.md with its tables as they have to be. */
export function withTables(readme: string): string {
  const tables = {
    scopes: scopesTable(),
    endpoints: endpointTable(endpoints()),
    commands: commandsTable(),
    configuration: configurationTable(),
  };
  return Object.entries(tables).reduce(
    (text, [name, content]) => replaced(text, name, content),
    readme,
  );
}
