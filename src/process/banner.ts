import { packageVersion } from '../base/package-root.ts';
import { SECOND_MS } from '../base/units.ts';
import type { Summary } from './summary.ts';

/** How the banner may look and which keys are listened to. */
export type BannerStyle = { color: boolean; keys: boolean; opens: boolean };

const LABEL_WIDTH = 12;

/** What a person sees when the service is ready: every address, the token, a line to paste, and how to stop. */
export function banner(summary: Summary, style: BannerStyle): string {
  const paint = (code: number) => (text: string) =>
    style.color ? `\u001b[${code}m${text}\u001b[0m` : text;
  const [bold, dim, green] = [paint(1), paint(2), paint(32)];
  const row = (label: string, text: string | null) =>
    text === null ? [] : [`  ${dim(label.padEnd(LABEL_WIDTH))}${text}`];
  const blank = [''];
  return [
    ...blank,
    `  ${bold(green('Odograph'))} ${packageVersion} ${dim(`is ready after ${seconds(summary.startedInMs)}`)}`,
    ...blank,
    ...row('GraphiQL', summary.graphiqlUrl),
    ...row('GraphQL', summary.graphqlUrl),
    ...row('REST', summary.restUrl),
    ...row('OpenAPI', summary.restDocsUrl),
    ...row('Health', summary.healthUrl),
    ...blank,
    ...garageRows(summary).flatMap(([label, text]) => row(label, text)),
    ...(garageRows(summary).length === 0 ? [] : blank),
    ...(summary.curl === null
      ? []
      : [`  ${dim('Paste this into another terminal:')}`, `  ${summary.curl}`, '']),
    `  ${dim(howToStop(style))}`,
    ...blank,
  ].join('\n');
}

function garageRows({ vehicles, history, token }: Summary): [label: string, text: string][] {
  const rows: [string, string][] = [];
  if (history !== null) {
    const { days, drives, charges, ms } = history;
    rows.push(['Garage', `${vehicles.join(', ')} (simulated)`]);
    rows.push([
      'History',
      `${days} days, ${drives} drives, ${charges} charges; brought up to date in ${seconds(ms)}`,
    ]);
  }
  if (token !== null) rows.push(['Token', `${token}  (every scope, until the next start)`]);
  return rows;
}

function seconds(ms: number): string {
  return `${(ms / SECOND_MS).toFixed(1)} s`;
}

function howToStop({ keys, opens }: BannerStyle): string {
  if (!keys) return 'Ctrl-C stops the service.';
  return opens
    ? 'o opens GraphiQL, q or Ctrl-C stops the service.'
    : 'q or Ctrl-C stops the service.';
}
