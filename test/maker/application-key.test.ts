import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { isSameKey, newKeyPair, pointOf } from '../../src/maker/application-key.ts';

const { publicPem, privatePem } = newKeyPair();

test('makes a pair on the maker’s curve, whose halves belong together', () => {
  const key = createPublicKey(publicPem);
  expect(key.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
  const ofPrivate = createPublicKey(createPrivateKey(privatePem));
  expect(ofPrivate.export({ type: 'spki', format: 'pem' })).toBe(publicPem);
  expect(privatePem).toMatch(/^-----BEGIN EC PRIVATE KEY-----\n/);
});

test('makes another pair each time', () => {
  expect(newKeyPair().publicPem).not.toBe(publicPem);
});

test('writes the point as the maker does: 04, x, y in hex', () => {
  const der = createPublicKey(publicPem).export({ type: 'spki', format: 'der' });
  expect(pointOf(publicPem)).toBe(der.subarray(-65).toString('hex'));
  expect(pointOf(privatePem)).toBe(pointOf(publicPem));
});

test('recognises its own key in hex of either case and as PEM', () => {
  const point = pointOf(publicPem) ?? '';
  for (const public_key of [point, point.toUpperCase(), ` ${point}\n`, publicPem]) {
    expect(isSameKey({ public_key }, publicPem)).toBe(true);
  }
});

test.each([
  ['another key', { public_key: pointOf(newKeyPair().publicPem) }],
  ['no key', {}],
  ['an empty key', { public_key: '' }],
  ['what is no text', { public_key: 4 }],
  ['what is no object', null],
  ['a broken PEM', { public_key: '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----' }],
])('does not take %s for its own', (_, answer) => {
  expect(isSameKey(answer, publicPem)).toBe(false);
});

test('knows no point of a key on another curve', () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp384r1' });
  expect(pointOf(publicKey.export({ type: 'spki', format: 'pem' }).toString())).toBeNull();
});
