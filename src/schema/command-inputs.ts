import { deadlineS } from '../actions/command-parts.ts';
import { LONGEST_WAIT_S } from '../actions/send-command.ts';
import { REDACTED } from '../contract/command-params.ts';
import { meaningOf, ruleOf } from '../contract/command-rules.ts';
import type { CommandRow, Param } from '../contract/commands/command.ts';
import { type CommandName, fieldName } from '../contract/commands.ts';
import { builder } from './builder.ts';
import { CommandConfirm } from './enums.ts';
import { Weekday } from './weekday.ts';

/** What every mutation that sends a command takes; the command's own parameters stand beside it. */
export type SendInput = {
  publicId: string;
  idempotencyKey?: string | null;
  waitSeconds?: number | null;
  wake?: boolean | null;
  confirm?: 'NONE' | 'ACK' | 'VERIFY' | null;
  deadlineSeconds?: number | null;
  overrideBudget?: boolean | null;
};

type Fields = PothosSchemaTypes.InputFieldBuilder<typeof builder.$inferSchemaTypes, 'InputObject'>;

/** The fields of `SendInput`. */
export function sendFields(t: Fields) {
  return {
    publicId: t.id({ required: true, description: 'Public id of the vehicle.' }),
    idempotencyKey: t.string({
      description:
        'Key of your own, 1 to 255 characters: for 24 hours the same request with it is carried out once.',
    }),
    waitSeconds: t.int({
      defaultValue: 0,
      description: `How long to wait for the end of the command, 0 to ${LONGEST_WAIT_S} seconds.`,
    }),
    wake: t.boolean({
      defaultValue: true,
      description:
        'Whether the vehicle may be woken for it; if not, a sleeping vehicle rejects it.',
    }),
    confirm: t.field({
      type: CommandConfirm,
      defaultValue: 'VERIFY',
      description: 'How far it is followed; a look at the vehicle’s state is billed by the maker.',
    }),
    deadlineSeconds: t.int({
      defaultValue: deadlineS.usual,
      description: `How long it may take, ${deadlineS.least} to ${deadlineS.most} seconds.`,
    }),
    overrideBudget: t.boolean({
      defaultValue: false,
      description: 'Whether it is sent although the account’s budget at the maker is used up.',
    }),
  };
}

function pascal(name: string): string {
  const camel = fieldName(name);
  return camel.charAt(0).toUpperCase() + camel.slice(1);
}

/** The sentence of a parameter, with its bounds. */
function described(param: Param): string {
  const sentence = meaningOf(param, fieldName);
  if (param.kind === 'int' || param.kind === 'float') {
    const step = param.step === undefined ? '' : `, in steps of ${param.step}`;
    return `${sentence} From ${param.min} to ${param.max}${step}.`;
  }
  if (param.kind === 'text') return `${sentence} At most ${param.maxLength} characters.`;
  if (param.kind === 'places') return `${sentence} At most ${param.most}.`;
  return param.kind === 'pin' ? `${sentence} Answered as \`${REDACTED}\`.` : sentence;
}

const enums = new Map<Param, ReturnType<typeof enumFor>>();

function enumFor(name: string, param: Param & { kind: 'choice' }) {
  const values = Object.entries(param.choices).map(([word, { sentence }]) => [
    word,
    { description: sentence },
  ]);
  return builder.enumType(name, {
    description: param.sentence,
    values: Object.fromEntries(values),
  });
}

/** One enum for each choice of the catalogue, also where a shortcut takes it too. */
function choiceEnum(command: CommandName, name: string, param: Param & { kind: 'choice' }) {
  const known = enums.get(param) ?? enumFor(`${pascal(command)}${pascal(name)}`, param);
  enums.set(param, known);
  return known;
}

/** Whole numbers that GraphQL's Int, of 32 bits, does not hold. */
const LARGEST_INT = 2_147_483_647;

function paramField(t: Fields, at: { command: CommandName; name: string; param: Param }) {
  const { command, name, param } = at;
  const options = { required: param.optional !== true, description: described(param) };
  switch (param.kind) {
    case 'boolean':
      return t.boolean(options);
    case 'int':
      return param.max > LARGEST_INT ? t.float(options) : t.int(options);
    case 'float':
      return t.float(options);
    case 'choice':
      return t.field({ ...options, type: choiceEnum(command, name, param) });
    case 'days':
      return t.field({ ...options, type: [Weekday] });
    case 'places':
      return t.stringList(options);
    case 'text':
    case 'pin':
      return t.string(options);
  }
}

/** The input of a command's mutation; `given` are parameters that a shortcut gives by itself. */
export function commandInput(
  mutation: string,
  { command, row, given }: { command: CommandName; row: CommandRow; given: readonly string[] },
) {
  return builder.inputRef<SendInput>(`${pascal(mutation)}Input`).implement({
    description: ['What to send:', row.sentence, ruleOf(row, fieldName) ?? ''].join(' ').trim(),
    fields: (t) => ({
      ...sendFields(t),
      ...Object.fromEntries(
        Object.entries(row.params)
          .filter(([name]) => !given.includes(name))
          .map(([name, param]) => [fieldName(name), paramField(t, { command, name, param })]),
      ),
    }),
  });
}
