import { builder } from './builder.ts';
import type { Guard } from './connection.ts';
import { type Context, caller } from './context.ts';
import { type Following, following } from './followed.ts';
import { follow, present, told } from './live.ts';
import { makerAccountById, softwareUpdateById } from './loaders.ts';
import { MakerAccount } from './maker-account.ts';
import { newestFirst, SoftwareUpdate } from './software-update.ts';

const makerAccounts = { 'maker-accounts': true } as const satisfies Guard;

/** Ids of software versions: first the newest, then each as it is catalogued. The catalogue is everybody's. */
function followCatalogue({ feed, prisma }: Context): Following {
  let detected = 0;
  return following({
    async follow({ told, over }) {
      const leave = await feed.followSoftware((id) => {
        detected += 1;
        told(id, detected);
      });
      const unhook = feed.whenClosed(over);
      return () => {
        leave();
        unhook();
      };
    },
    async first() {
      const latest = await prisma.softwareUpdate.findFirst({
        orderBy: [...newestFirst],
        select: { id: true },
      });
      return { ids: latest === null ? [] : [latest.id], upTo: 0, over: false };
    },
  });
}

builder.subscriptionFields((t) => ({
  makerAccountUpdated: t.field({
    type: MakerAccount,
    description:
      'A maker account: first each as it is, then each as its status or its budget changes.',
    authScopes: makerAccounts,
    subscribe: (_root, _args, context) =>
      follow(context, {
        about: (event) =>
          event.type.startsWith('maker_account.') ? told(event, 'makerAccountId') : null,
        current: async () => {
          const rows = await context.prisma.makerAccount.findMany({
            where: { accountId: caller(context).accountId },
            orderBy: { createdAt: 'asc' },
            select: { id: true },
          });
          return rows.map(({ id }) => id);
        },
      }),
    resolve: (id, _args, context) => present(makerAccountById(context).load(id)),
  }),
  softwareDetected: t.field({
    type: SoftwareUpdate,
    description:
      'A software version: first the newest, then each that a vehicle brings for the first time.',
    subscribe: (_root, _args, context) => followCatalogue(context),
    resolve: (id, _args, context) => present(softwareUpdateById(context).load(id)),
  }),
}));
