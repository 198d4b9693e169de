import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scratchPlace } from '../support/database.ts';
import { startProgram } from '../support/program.ts';

const program = 'garage/fill-garage';
const at = Date.UTC(2026, 10, 20, 15);
const DAYS = '8';
const isResult = (line: string) => line.startsWith('{');

let root = '';
let whole: unknown;

/** A migrated data folder of its own. */
async function freshFolder(name: string): Promise<string> {
  await using place = await scratchPlace('embedded');
  const folder = join(root, name);
  cpSync(place.dataDir, folder, { recursive: true });
  return folder;
}

async function filled(folder: string): Promise<unknown> {
  await using filling = await startProgram(program, folder, `${at}`, DAYS);
  return JSON.parse(await filling.line(isResult));
}

describe('filling the garage', () => {
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'odo-garage-'));
    whole = await filled(await freshFolder('whole'));
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it('ends with the same history when it is killed again and again', async () => {
    const folder = await freshFolder('killed');
    for (const delayMs of [0, 500, 1_000]) {
      await using filling = await startProgram(program, folder, `${at}`, DAYS);
      await filling.line((line) => line === 'filling');
      await sleep(delayMs);
    }
    expect(await filled(folder)).toEqual(whole);
  });

  it('changes nothing when everything is there already', async () => {
    expect(await filled(join(root, 'whole'))).toEqual(whole);
  });
});
