import { describe, expect, it } from 'vitest';
import { unknownCommand } from '../../src/actions/unknown-command.ts';

describe('a name that is no command', () => {
  it.each([
    ['lcok', 'There is no such command. Did you mean `lock`?'],
    ['self_destruct', 'There is no such command; the catalogue lists them all.'],
    [
      'door_lock',
      'This is the maker’s own name, which the pass-through takes; the command is called `lock`.',
    ],
    [
      'erase_user_data',
      'This command is sent under the maker’s own name only, by the pass-through: `erase_user_data`.',
    ],
  ])('is told what to send instead of %s', (name, message) => {
    expect(unknownCommand(name)).toMatchObject({ code: 'invalid_command', message });
  });
});
