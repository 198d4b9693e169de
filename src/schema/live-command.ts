import { ServiceError } from '../base/errors.ts';
import { uuidOf } from '../base/ids.ts';
import { builder } from './builder.ts';
import { Command, visibleCommands } from './command.ts';
import { ledger } from './command-parts.ts';
import { type Context, caller } from './context.ts';
import { chosenVehicles, follow, present, told, vehicleIdsOf } from './live.ts';
import { byId } from './loaders.ts';

/** States that another one follows (contract §0 Commands). */
const underWay = ['QUEUED', 'WAKING', 'SENDING', 'ACKNOWLEDGED'] as const;

/** Commands under way that are told first of a vehicle. */
const MOST_CURRENT = 50;

const commandById = byId((ids, context) =>
  context.prisma.command.findMany({
    where: { id: { in: ids }, AND: [visibleCommands(caller(context))] },
  }),
);

/** The id and state of a command that the caller may see. */
function ofCaller(id: string, context: Context) {
  const where = { id, AND: [visibleCommands(caller(context))] };
  return { where, select: { id: true, state: true } } as const;
}

function isUnderWay(state: string | null): boolean {
  return underWay.some((one) => one === state);
}

builder.subscriptionFields((t) => ({
  commandUpdated: t.field({
    type: Command,
    description:
      'A command: first as it is, then as it changes. It ends after the last state of the command.',
    authScopes: ledger,
    args: { id: t.arg.id({ required: true, description: 'Id of the command.' }) },
    subscribe: async (_root, { id }, context) => {
      const uuid = uuidOf('Command', id);
      const read = async () =>
        uuid === null ? null : context.prisma.command.findFirst(ofCaller(uuid, context));
      if ((await read()) === null) throw new ServiceError('not_found', `No command ${id}.`);
      let over = false;
      return follow(context, {
        about: (event) =>
          event.type === 'command.updated' && told(event, 'commandId') === uuid ? uuid : null,
        isLast: (event) => !isUnderWay(told(event, 'state')),
        current: async () => {
          const command = await read();
          over = command === null || !isUnderWay(command.state);
          return command === null ? [] : [command.id];
        },
        isOver: () => over,
      });
    },
    resolve: (id, _args, context) => present(commandById(context).load(id)),
  }),
  vehicleCommands: t.field({
    type: Command,
    description:
      'A command of a vehicle: first those under way, or the newest where none is, then each as it is given and changes.',
    authScopes: ledger,
    args: { publicId: t.arg.id({ required: true, description: 'Public id of a vehicle.' }) },
    subscribe: async (_root, { publicId }, context) => {
      const chosen = await chosenVehicles(context, [publicId]);
      const [vehicleId] = await vehicleIdsOf(context, chosen);
      const where = { vehicleId, AND: [visibleCommands(caller(context))] };
      return follow(context, {
        chosen,
        about: (event) =>
          event.type === 'command.updated' && event.vehicleId === vehicleId
            ? told(event, 'commandId')
            : null,
        current: async () => {
          const running = await context.prisma.command.findMany({
            where: { ...where, state: { in: [...underWay] } },
            orderBy: { createdAt: 'desc' },
            take: MOST_CURRENT,
            select: { id: true },
          });
          if (running.length > 0) return running.map(({ id }) => id).reverse();
          const newest = await context.prisma.command.findFirst({
            where,
            orderBy: { createdAt: 'desc' },
            select: { id: true },
          });
          return newest === null ? [] : [newest.id];
        },
      });
    },
    resolve: (id, _args, context) => present(commandById(context).load(id)),
  }),
}));
