import { ServiceError } from '../base/errors.ts';
import { nearMiss } from '../base/near-miss.ts';
import { commandNames, commandOfMaker, commandRow, isCommandName } from '../contract/commands.ts';

/** What a caller is told whose name is none that the service sends, without the name: it may be anything. */
export function unknownCommand(name: string): ServiceError {
  return new ServiceError('invalid_command', sentenceAbout(name));
}

function sentenceAbout(name: string): string {
  const canonical = isCommandName(name) ? name : commandOfMaker(name);
  if (canonical === null) {
    const meant = nearMiss(name, commandNames());
    return meant === null
      ? 'There is no such command; the catalogue lists them all.'
      : `There is no such command. Did you mean \`${meant}\`?`;
  }
  const { maker, surface } = commandRow(canonical);
  const makers = maker.map(({ command }) => `\`${command}\``).join(', ');
  if (surface === 'passthrough') {
    return `This command is sent under the maker’s own name only, by the pass-through: ${makers}.`;
  }
  return `This is the maker’s own name, which the pass-through takes; the command is called \`${canonical}\`.`;
}
