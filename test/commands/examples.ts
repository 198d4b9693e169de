import type {
  CommandParams,
  CommandRow,
  Param,
  ParamValue,
} from '../../src/contract/commands/command.ts';

function exampleOf(param: Param): ParamValue {
  switch (param.kind) {
    case 'boolean':
      return true;
    case 'int':
    case 'float':
      return Math.min(param.max, Math.max(param.min, 2));
    case 'choice':
      return Object.keys(param.choices)[0] ?? '';
    case 'days':
      return ['MONDAY'];
    case 'places':
      return ['ChIJ_a-1'];
    case 'text':
      return 'A text';
    case 'pin':
      return '1234';
  }
}

/** Parameters that a row takes, and with which it uses the given command of the maker; the first of its commands unless given. */
export function exampleParams(row: CommandRow, makerName?: string): CommandParams {
  const use = row.maker.find(({ command }) => command === makerName) ?? row.maker[0];
  const params: Record<string, ParamValue> = {};
  const chosen = row.choose?.of.find(([first = '']) => use?.takes?.includes(first) ?? true) ?? [];
  for (const [name, param] of Object.entries(row.params)) {
    const wanted = param.optional !== true || chosen.includes(name) || param.neededWhen;
    if (wanted) params[name] = exampleOf(param);
  }
  if (use?.when?.is !== undefined) params[use.when.param] = use.when.is;
  return params;
}
