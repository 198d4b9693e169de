import type { Answer } from './answer.ts';
import { type ApiOptions, makerApi } from './api.ts';
import type { MakerCall } from './command-body.ts';

/** Carries a command to a vehicle, signed where it can be; never retries. */
export type Signer = { send: (vin: string, call: MakerCall) => Promise<Answer<unknown>> };

/** How long a command may take [ms]: as long as the maker's own proxy waits (maker.md §1.9). */
const timeoutMs = 10_000;

/** Unsigned commands, straight to the maker. */
export function plainSigner(options: ApiOptions): Signer {
  const api = makerApi({ timeoutMs, ...options });
  return { send: (vin, { command, body }) => api.command(vin, command, body) };
}

/**
 * Commands by the maker's signing proxy at `proxyUrl`, which signs them and passes them on. What it does not know goes
 * straight to the maker (maker.md §1.9).
 */
export function proxySigner(options: ApiOptions, proxyUrl: string): Signer {
  const plain = plainSigner(options);
  const signing = plainSigner({ ...options, baseUrl: proxyUrl });
  return {
    send: (vin, call) => {
      const known = call.signing === 'INFOTAINMENT' || call.signing === 'SECURITY';
      return (known ? signing : plain).send(vin, call);
    },
  };
}
