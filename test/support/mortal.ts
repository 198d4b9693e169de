import type { Prisma, PrismaClient } from '../../src/store/generated/prisma/client.ts';

/** When a process dies at a commit: everything of it is lost, or everything is there and nobody was told. */
export type Death = 'before' | 'after';

type Work = (tx: Prisma.TransactionClient) => Promise<unknown>;

/** A client of a process that may die at a commit; a dead one commits nothing any more. */
export type Mortal = {
  prisma: PrismaClient;
  /** Lets it die at its next commit. */
  dieAtNext: (death: Death) => void;
  dead: () => boolean;
};

/** A client that lives until it is told to die. */
export function mortal(prisma: PrismaClient): Mortal {
  let next: Death | null = null;
  let dead = false;
  const transaction = async (work: Work, options?: object) => {
    if (dead) throw new Error('It is dead.');
    if (next === null) return prisma.$transaction(work, options);
    dead = true;
    if (next === 'after') {
      await prisma.$transaction(work, options);
      throw new Error('It died after the commit.');
    }
    return prisma.$transaction(async (tx) => {
      await work(tx);
      throw new Error('It died before the commit.');
    }, options);
  };
  return {
    prisma: new Proxy(prisma, {
      get: (target, name) => (name === '$transaction' ? transaction : Reflect.get(target, name)),
    }),
    dieAtNext: (death) => {
      next = death;
    },
    dead: () => dead,
  };
}
