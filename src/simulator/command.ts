import type { MakerCommandName } from '../contract/commands.ts';
import { bodyReader, WrongParam } from './command-params.ts';
import { chargingEffects } from './effects/charging.ts';
import { climateEffects } from './effects/climate.ts';
import { closureEffects } from './effects/closures.ts';
import type { CommandEffect } from './effects/effect.ts';
import { mediaEffects } from './effects/media.ts';
import { securityEffects } from './effects/security.ts';
import { failure, type Reply } from './reply.ts';
import type { Car } from './state.ts';

/** What every command of the catalogue does to a car; one without an effect does not compile. Waking is no effect on an awake car. */
const effects: Readonly<Record<Exclude<MakerCommandName, 'wake_up'>, CommandEffect>> = {
  ...closureEffects,
  ...climateEffects,
  ...chargingEffects,
  ...mediaEffects,
  ...securityEffects,
};

const effectOf = new Map<string, CommandEffect>(Object.entries(effects));

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return Object.fromEntries(Object.entries(value));
  } catch {
    return null;
  }
}

/** The answer of a command that the car took or refused (maker.md §1.9). */
function result(reason: string): Reply {
  return {
    status: 200,
    body: { response: { result: reason === '', reason }, error: '', error_description: '' },
  };
}

/** Carries out a command on an awake car; the bodies and words are those of the maker's own interface. */
export function carryOut(car: Car, name: string, sent: { body: string; nowMs: number }): Reply {
  const effect = effectOf.get(name);
  if (effect === undefined) return failure(400, 'invalid_command');
  const body = objectIn(sent.body);
  if (body === null) return { status: 400, body: 'invalid JSON' };
  try {
    const reason = effect(car, bodyReader(body), sent.nowMs);
    car.state.lastActivityMs = car.state.atMs;
    if (reason === undefined) car.state.remote.changedAtMs = sent.nowMs;
    return result(reason ?? '');
  } catch (error) {
    if (!(error instanceof WrongParam)) throw error;
    const response = { result: false, reason: error.message };
    return { status: 400, body: { response, error: '', error_description: '' } };
  }
}
