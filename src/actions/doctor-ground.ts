import { statfs } from 'node:fs/promises';
import type { Clock } from '../base/clock.ts';
import { ConfigError } from '../base/config.ts';
import { MINUTE_MS, SECOND_MS } from '../base/units.ts';
import type { Vault } from '../base/vault.ts';
import { exchange } from '../maker/exchange.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { readTokens } from '../store/maker-accounts.ts';
import { makerKey, privateKeyOf } from '../store/maker-keys.ts';
import { type Check, fine, odd, wrong } from './doctor-check.ts';

const MIB = 1024 * 1024;
const LITTLE_SPACE_MIB = 1024;
const NO_SPACE_MIB = 200;
const SKEW_SEEN_MS = 30 * SECOND_MS;
const SKEW_WRONG_MS = 5 * MINUTE_MS;
const limits = { timeoutMs: 5 * SECOND_MS, maxBytes: 64 * 1024 };

/** Whether the database answers, and with which tables. */
export async function databaseCheck(prisma: PrismaClient): Promise<Check> {
  const id = 'database';
  const rows = await prisma.$queryRaw<{ version: string; applied: bigint }[]>`
    SELECT current_setting('server_version') AS version,
      (SELECT count(*) FROM _prisma_migrations WHERE finished_at IS NOT NULL) AS applied`;
  const { version = 'unknown', applied = 0n } = rows[0] ?? {};
  return fine(id, `PostgreSQL ${version} answers, with all ${applied} migrations of this version.`);
}

/** Whether what is sealed in the database opens with the key at hand. */
export async function secretKeyCheck(
  prisma: PrismaClient,
  vault: () => Vault,
  maker: string,
): Promise<Check> {
  const id = 'secret_key';
  try {
    const opened = vault();
    const key = await makerKey(prisma, maker);
    if (key !== null) privateKeyOf(opened, key);
    const account = await prisma.makerAccount.findFirst({
      where: { accessToken: { not: null }, status: 'ACTIVE' },
      select: { id: true },
    });
    if (account !== null) await readTokens(prisma, opened, account.id);
    return fine(id, 'The secret key opens what is sealed in the database.');
  } catch (cause) {
    const next = 'Put the key back with which the service ran before, as ODOGRAPH_SECRET_KEY.';
    if (cause instanceof ConfigError) return wrong(id, cause.message, next);
    // What the vault throws names key ids and no secret.
    const why = cause instanceof Error ? cause.message : 'It does not open.';
    return wrong(id, `What is sealed in the database does not open: ${why}`, next);
  }
}

/** Whether the clock agrees with the database's and, where one is set, with the maker's (its `Date`, RFC 9110 6.6.1). */
export async function clockCheck(
  prisma: PrismaClient,
  clock: Clock,
  makerUrl: string | null,
): Promise<Check> {
  const id = 'clock';
  const [row] = await prisma.$queryRaw<{ at: Date }[]>`SELECT clock_timestamp() AS at`;
  const ofDatabase = row === undefined ? 0 : Math.abs(row.at.getTime() - clock());
  const asked = makerUrl === null ? null : await exchange(`${makerUrl}/status`, {}, limits);
  const date =
    asked?.kind === 'answered' ? Date.parse(asked.headers.get('date') ?? '') : Number.NaN;
  const ofMaker = Number.isNaN(date) ? null : Math.abs(date - clock());
  const skewMs = Math.max(ofDatabase, ofMaker ?? 0);
  const than = ofMaker !== null && ofMaker >= ofDatabase ? 'the maker’s' : 'the database’s';
  const next = 'Let the machine keep its time by NTP.';
  const says = `The clock is ${Math.round(skewMs / SECOND_MS)} s off ${than}.`;
  if (skewMs > SKEW_WRONG_MS) return wrong(id, says, next);
  if (skewMs > SKEW_SEEN_MS) return odd(id, says, next);
  if (makerUrl !== null && ofMaker === null) {
    const unanswered = `The maker does not answer at ${makerUrl}.`;
    return odd('maker', unanswered, 'See that this machine reaches the internet.');
  }
  return fine(id, 'The clock agrees with others.');
}

/** Whether the data folder's disk has room. */
export async function diskCheck(dataDir: string): Promise<Check> {
  const id = 'disk';
  const { bavail, bsize } = await statfs(dataDir);
  const freeMib = Math.floor((bavail * bsize) / MIB);
  const says = `${freeMib} MiB are free for ${dataDir}.`;
  if (freeMib < NO_SPACE_MIB) return wrong(id, says, 'Make room: nothing can be recorded soon.');
  if (freeMib < LITTLE_SPACE_MIB) return odd(id, says, 'Make room.');
  return fine(id, says);
}
