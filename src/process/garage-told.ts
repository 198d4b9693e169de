import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { ToldCommand } from '../simulator/told.ts';

const line = z.object({ car: z.string(), atMs: z.number(), name: z.string(), body: z.string() });

type Line = z.infer<typeof line>;

/** Keeps a command that a car of the garage took, so that a later start tells it again; PINs and passwords are not kept. */
export function keepTold(dataDir: string, car: string, told: ToldCommand): void {
  if (/"(pin|password)"/.test(told.body)) return;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  appendFileSync(fileIn(dataDir), textOf([{ car, ...told }]), { mode: 0o600 });
}

/** What the cars of the garage were told, by their keys and in the order of time. */
export function readTold(dataDir: string): ReadonlyMap<string, ToldCommand[]> {
  const found = new Map<string, ToldCommand[]>();
  for (const { car, ...told } of linesIn(dataDir).sort((a, b) => a.atMs - b.atMs)) {
    found.set(car, [...(found.get(car) ?? []), told]);
  }
  return found;
}

/** Forgets what the kept states of cars hold already: `cars` says by key when each was kept (epoch ms). */
export function forgetTold(
  dataDir: string,
  cars: Readonly<Record<string, { atMs: number }>>,
): void {
  const all = linesIn(dataDir);
  const left = all.filter(({ car, atMs }) => atMs >= (cars[car]?.atMs ?? 0));
  if (left.length === all.length) return;
  const file = fileIn(dataDir);
  writeFileSync(`${file}.new`, textOf(left), { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'garage-commands.jsonl');
}

function textOf(lines: readonly Line[]): string {
  return lines.map((one) => `${JSON.stringify(one)}\n`).join('');
}

function linesIn(dataDir: string): Line[] {
  let text = '';
  try {
    text = readFileSync(fileIn(dataDir), 'utf8');
  } catch {
    // Nobody told the cars anything yet.
    return [];
  }
  return text.split('\n').flatMap((one) => {
    try {
      return [line.parse(JSON.parse(one))];
    } catch {
      // A kill may have left half a line at the end.
      return [];
    }
  });
}
