import { createHmac, randomBytes } from 'node:crypto';
import { SECOND_MS } from '../base/units.ts';

const PREFIX = 'whsec_';

/** Length of a secret [bytes]; Standard Webhooks 1.0 asks for 24 to 64. */
const SECRET_BYTES = 32;

/** A new secret to sign with, in the form in which its holder is told it (Standard Webhooks 1.0, signature scheme). */
export function newSigningSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** What is signed: the id of the message, when it is sent (epoch ms), and the body as it is sent. */
export type SignedMessage = { id: string; at: number; body: string };

function signatureBy(secret: string, signed: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

/** The headers that prove who sent a message: one signature for each secret that is valid, the newest first. */
export function signedHeaders(
  { id, at, body }: SignedMessage,
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(at / SECOND_MS));
  const signed = `${id}.${timestamp}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signatureBy(secret, signed)).join(' '),
  };
}
