import { Alert } from './alert.ts';
import { builder } from './builder.ts';
import { vehicles } from './connection.ts';
import { chosenVehicles, follow, present, told, vehicleIdsOf } from './live.ts';
import { alertById } from './loaders.ts';

/** Alerts that are told first, the newest. */
const MOST_CURRENT = 200;

builder.subscriptionFields((t) => ({
  alerts: t.field({
    type: Alert,
    description:
      'An alert: first those that are not cleared, then each as it is raised and cleared.',
    authScopes: vehicles,
    args: {
      publicIds: t.arg.idList({
        description: 'Public ids of vehicles; all of yours when left out.',
      }),
    },
    subscribe: async (_root, { publicIds }, context) => {
      const chosen = await chosenVehicles(context, publicIds);
      return follow(context, {
        chosen,
        about: (event) =>
          event.type.startsWith('alert.') &&
          event.vehicleId !== null &&
          (chosen === null || chosen.has(event.vehicleId))
            ? told(event, 'alertId')
            : null,
        current: async () => {
          const open = await context.prisma.alert.findMany({
            where: { vehicleId: { in: await vehicleIdsOf(context, chosen) }, clearedAt: null },
            orderBy: [{ raisedAt: 'desc' }, { id: 'desc' }],
            take: MOST_CURRENT,
            select: { id: true },
          });
          return open.map(({ id }) => id).reverse();
        },
      });
    },
    resolve: (id, _args, context) => present(alertById(context).load(id)),
  }),
}));
