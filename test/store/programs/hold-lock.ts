// Takes the lock of the folder in its argument as soon as a line arrives, says how that went, and holds it until killed.
import { once } from 'node:events';
import { lockDataDir } from '../../../src/store/lock.ts';

const [, , folder = ''] = process.argv;
process.stdout.write('ready\n');
await once(process.stdin, 'data');
try {
  await lockDataDir(folder);
  process.stdout.write('won\n');
} catch (error) {
  process.stdout.write(`lost: ${error instanceof Error ? error.message : error}\n`);
}
