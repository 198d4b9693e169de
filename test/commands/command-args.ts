import type { CommandRow, ParamValue } from '../../src/contract/commands/command.ts';
import { commandEntries, fieldName } from '../../src/contract/commands.ts';
import { EnumWord } from '../schema/documents.ts';
import { exampleParams } from './examples.ts';

function inputOf(row: CommandRow, given: readonly string[]): Record<string, unknown> {
  const written = (name: string, value: ParamValue): unknown => {
    const kind = row.params[name]?.kind;
    if (kind === 'days' && Array.isArray(value)) return value.map((day) => new EnumWord(day));
    return kind === 'choice' ? new EnumWord(String(value)) : value;
  };
  const own = Object.entries(exampleParams(row)).filter(([name]) => !given.includes(name));
  return Object.fromEntries(own.map(([name, value]) => [fieldName(name), written(name, value)]));
}

/** Arguments of every mutation that sends a command to a vehicle, by field. */
export function commandArgs(publicId: string): Record<string, Record<string, unknown>> {
  const offered = commandEntries().filter(([, { surface }]) => surface === 'all');
  const typed = offered.flatMap(([name, row]) => [
    [fieldName(name), { input: { publicId, ...inputOf(row, []) } }] as const,
    ...Object.entries(row.shortcuts ?? {}).map(
      ([shortcut, { params }]) =>
        [
          fieldName(shortcut),
          { input: { publicId, ...inputOf(row, Object.keys(params)) } },
        ] as const,
    ),
  ]);
  return {
    ...Object.fromEntries(typed),
    sendCommand: { input: { publicId, name: 'flash_lights' } },
    sendMakerCommand: { input: { publicId, makerName: 'flash_lights' } },
  };
}
