import type { CommandRow, Param } from './commands/command.ts';

type Spelled = (name: string) => string;

/** Which of its parameters a command has to be given, in a sentence; null where each says so by itself. */
export function ruleOf({ choose }: CommandRow, spelled: Spelled): string | null {
  if (choose === undefined) return null;
  const sets = choose.of.map((names) => names.map(spelled).join(' and '));
  return `Give ${choose.how === 'one' ? 'exactly' : 'at least'} one of: ${sets.join('; ')}.`;
}

/** What a parameter means, and where it is needed although it is optional. */
export function meaningOf({ sentence, neededWhen }: Param, spelled: Spelled): string {
  return neededWhen === undefined ? sentence : `${sentence} Needed where ${spelled(neededWhen.param)} is ${neededWhen.is}.`;
}
