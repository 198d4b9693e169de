import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../base/units.ts';

/** Webhooks of an account (contract §14). */
export const MOST_WEBHOOKS = 20;

/** Largest body that is sent [bytes] (Standard Webhooks 1.0, payload size). */
export const MOST_BODY_BYTES = 20_000;

/** Deliveries of one webhook that are kept after they ended, the newest ones. */
export const MOST_ENDED = 5_000;

/** How long a call may take, the answer's body included (contract §16). */
export const CALL_MS = 5 * SECOND_MS;

/** How long the secret before the last rotation signs as well. */
export const ROTATION_MS = DAY_MS;

/** Waits before the second call and each after it (Standard Webhooks 1.0, deliverability and reliability): 75 h 35 min in all. */
export const retryDelaysMs: readonly number[] = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 14 * HOUR_MS, 20 * HOUR_MS, 24 * HOUR_MS];

/** Why a webhook is not called, with what it becomes. */
export const webhookReasons = {
  exhausted: { status: 'PAUSED', sentence: 'A delivery failed at every attempt.' },
  gone: { status: 'DISABLED', sentence: 'The address answered 410.' },
  credential_revoked: { status: 'PAUSED', sentence: 'The token behind it was revoked.' },
  credential_expired: { status: 'PAUSED', sentence: 'The token behind it has ended.' },
  scope_lost: { status: 'PAUSED', sentence: 'The token behind it may hear none of its events.' },
} as const satisfies Record<string, { status: 'PAUSED' | 'DISABLED'; sentence: string }>;

export type WebhookReason = keyof typeof webhookReasons;

/** Why a call failed, beside its status. */
export const callErrors = {
  status: 'The answer had no status of success.',
  redirect: 'The answer was a redirect, which is not followed.',
  timeout: 'There was no whole answer within 5 seconds.',
  address_refused: 'The address is not of the public internet, or not found.',
  tls: 'The certificate is not good for the host.',
  connection: 'There was no connection, or it broke.',
  protocol: 'The answer was no HTTP.',
} as const satisfies Record<string, string>;

export type CallError = keyof typeof callErrors;
