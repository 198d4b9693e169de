import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { CredentialKind } from './principal.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Base62 characters chosen at random: 190 bits, above the 178 of security §1.5. */
const RANDOM_LENGTH = 32;

/** Base62 characters that hold any 32-bit checksum. */
const CHECKSUM_LENGTH = 6;

const prefixByKind = {
  TOKEN: 'odo_pat_',
  API_KEY: 'odo_key_',
  INGEST: 'odo_ing_',
} as const satisfies Record<CredentialKind, string>;

const kindByInfix = { pat: 'TOKEN', key: 'API_KEY', ing: 'INGEST' } as const satisfies Record<
  string,
  CredentialKind
>;

const pattern = new RegExp(
  `^(odo_(pat|key|ing)_[0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`,
);

/** A secret as its holder sees it once, and what the service keeps of it. */
export type MintedSecret = { secret: string; hash: string; lastFour: string };

/** What a presented secret says about itself before any look-up. */
export type ParsedSecret<K extends CredentialKind = CredentialKind> = { kind: K; hash: string };

/** A whole number from 0 up to, not including, `below`; every one equally likely and unpredictable. */
export type RandomIndex = (below: number) => number;

function checksumOf(body: string): string {
  let rest = crc32(body);
  let digits = '';
  for (let index = 0; index < CHECKSUM_LENGTH; index += 1) {
    digits = DIGITS.charAt(rest % DIGITS.length) + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}

/** What is stored instead of a secret, and what it is found by: SHA-256 in hex. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** A new secret: prefix of its kind, 32 random characters, checksum (security §1.5). */
export function mintSecret(
  kind: CredentialKind,
  randomIndex: RandomIndex = (below) => randomInt(below),
): MintedSecret {
  const random = Array.from({ length: RANDOM_LENGTH }, () =>
    DIGITS.charAt(randomIndex(DIGITS.length)),
  );
  const body = prefixByKind[kind] + random.join('');
  const secret = body + checksumOf(body);
  return { secret, hash: hashOf(secret), lastFour: secret.slice(-4) };
}

/** What a secret of a kind is known by where it is not told. */
export function signOf(
  kind: CredentialKind,
  { lastFour }: { lastFour: string },
): { prefix: string; lastFour: string } {
  return { prefix: prefixByKind[kind], lastFour };
}

/**
 * Kind and hash of a secret, or null when its form or checksum is wrong, which takes no look-up. The checksum is no
 * secret; secrets themselves are only ever found by their hash, so that no comparison depends on how much matches.
 */
export function parseSecret(text: string): ParsedSecret | null {
  const [, body, infix, checksum] = pattern.exec(text) ?? [];
  if (body === undefined || checksumOf(body) !== checksum) return null;
  const kind = isInfix(infix) ? kindByInfix[infix] : null;
  return kind === null ? null : { kind, hash: hashOf(text) };
}

function isInfix(infix: string | undefined): infix is keyof typeof kindByInfix {
  return infix !== undefined && Object.hasOwn(kindByInfix, infix);
}
