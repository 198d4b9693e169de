import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { isObject } from './json.ts';

/** A key pair as text; the private half leaves the vault only to be sealed or exported. */
export type KeyPair = { publicPem: string; privatePem: string };

/** The curve that the maker asks for (maker documentation, "Partner endpoints"). */
const CURVE = 'prime256v1';

/** A new key pair on the maker's curve. */
export function newKeyPair(): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: CURVE });
  return {
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privatePem: privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
  };
}

/** The point of a public or private key (PEM) in hex, as the maker writes keys: `04`, x, y (SEC 1 2.3.3). */
export function pointOf(pem: string): string | null {
  try {
    return hexPoint(createPublicKey(pem));
  } catch {
    return null;
  }
}

/** Whether the maker's answer for a domain holds this public key (PEM); it writes keys in hex, or as PEM (observed). */
export function isSameKey(answer: unknown, publicPem: string): boolean {
  const told = isObject(answer) ? answer.public_key : null;
  const own = pointOf(publicPem);
  if (typeof told !== 'string' || own === null) return false;
  return (told.includes('BEGIN') ? pointOf(told) : told.trim().toLowerCase()) === own;
}

function hexPoint(key: KeyObject): string | null {
  const { crv, x, y } = key.export({ format: 'jwk' });
  if (crv !== 'P-256' || x === undefined || y === undefined) return null;
  const hex = (part: string) => Buffer.from(part, 'base64url').toString('hex');
  return `04${hex(x)}${hex(y)}`;
}
