import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** Encrypts secrets for the database; `place` is `table:row:column`, so that no ciphertext can be moved (security §4.8). */
export type Vault = {
  seal: (plain: string, place: string) => string;
  /** Throws on a wrong key, a wrong place, or anything that was tampered with. */
  open: (sealed: string, place: string) => string;
};

/**
 * Envelope encryption with AES-256-GCM: a random data key per secret, wrapped by `key` (32 bytes). Form:
 * `v1.<key id>.<wrapped>.<iv>.<ciphertext>.<tag>`, all base64url.
 */
export function vaultOf(key: Buffer): Vault {
  if (key.length !== 32) throw new Error('The secret key has to have 32 bytes.');
  const keyId = createHash('sha256').update(key).digest('base64url').slice(0, 8);
  return {
    seal: (plain, place) => {
      const dataKey = randomBytes(32);
      const wrapped = encrypt(key, dataKey, `${place}:key`);
      const body = encrypt(dataKey, Buffer.from(plain, 'utf8'), place);
      const wrappedKey = Buffer.concat([wrapped.iv, wrapped.tag, wrapped.text]);
      return [
        'v1',
        keyId,
        ...[wrappedKey, body.iv, body.text, body.tag].map((part) => part.toString('base64url')),
      ].join('.');
    },
    open: (sealed, place) => {
      const [version, id, ...parts] = sealed.split('.');
      const [wrappedKey, iv, text, tag] = parts.map((part) => Buffer.from(part, 'base64url'));
      if (version !== 'v1' || !wrappedKey || !iv || !text || !tag)
        throw new Error('A stored secret has an unknown form.');
      if (id !== keyId)
        throw new Error(`A stored secret needs the key ${id}; the service runs with ${keyId}.`);
      const wrapped = {
        iv: wrappedKey.subarray(0, 12),
        tag: wrappedKey.subarray(12, 28),
        text: wrappedKey.subarray(28),
      };
      return decrypt(decrypt(key, wrapped, `${place}:key`), { iv, text, tag }, place).toString(
        'utf8',
      );
    },
  };
}

type Box = { iv: Buffer; text: Buffer; tag: Buffer };

function encrypt(key: Buffer, plain: Buffer, place: string): Box {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(place));
  const text = Buffer.concat([cipher.update(plain), cipher.final()]);
  return { iv, text, tag: cipher.getAuthTag() };
}

function decrypt(key: Buffer, { iv, text, tag }: Box, place: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: 16 });
  decipher.setAAD(Buffer.from(place)).setAuthTag(tag);
  return Buffer.concat([decipher.update(text), decipher.final()]);
}
