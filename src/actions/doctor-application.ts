import type { Config } from '../base/config.ts';
import { SECOND_MS } from '../base/units.ts';
import { pointOf } from '../maker/application-key.ts';
import { PUBLIC_KEY_PATH } from '../maker/connector.ts';
import { exchange } from '../maker/exchange.ts';
import { type Check, fine, odd, wrong } from './doctor-check.ts';
import type { ApplicationView } from './maker-application.ts';

const limits = { timeoutMs: 5 * SECOND_MS, maxBytes: 64 * 1024 };

/** Whether callers and the maker find the service where its settings say it is. */
export function addressCheck(
  { baseUrl, makerClientId }: Config,
  view: ApplicationView | null,
): Check {
  const id = 'base_url';
  if (makerClientId === null) {
    return fine(
      id,
      `Callers reach the service ${baseUrl === null ? 'where it listens' : `at ${baseUrl}`}.`,
    );
  }
  const next =
    'Set ODOGRAPH_BASE_URL to the https address under which the internet reaches this service.';
  if (baseUrl === null) {
    return odd(
      id,
      'ODOGRAPH_BASE_URL is not set: the maker sends people back to this machine only.',
      next,
    );
  }
  if (view?.domain === null) return wrong(id, 'The domain of the application is not known.', next);
  if (!baseUrl.startsWith('https:')) {
    return odd(id, `The maker wants https, and the base URL is ${baseUrl}.`, next);
  }
  return fine(id, `Callers reach the service at ${baseUrl}, the maker at ${view?.domain}.`);
}

/** Whether the public key is there and answers under the domain; `url` is where the maker fetches it. */
export async function publicKeyCheck(
  { baseUrl }: Config,
  { publicKey, publicKeyUrl, domain }: ApplicationView,
): Promise<Check> {
  const id = 'public_key';
  if (publicKey === null) {
    return wrong(id, 'There is no key pair yet.', 'Start the service: it makes the pair.');
  }
  const own = baseUrl !== null && new URL(baseUrl).hostname === domain;
  const url = own ? `${baseUrl}${PUBLIC_KEY_PATH}` : publicKeyUrl;
  if (url === null) {
    return wrong(
      id,
      'Nobody knows where the maker looks for the key.',
      'Set ODOGRAPH_MAKER_DOMAIN.',
    );
  }
  const answer = await exchange(url, { method: 'GET' }, limits);
  const next = `See that ${url} leads to this service, from the internet too.`;
  if (answer.kind !== 'answered') {
    return odd(id, `The public key could not be fetched from here (${answer.kind}).`, next);
  }
  if (answer.status !== 200)
    return wrong(id, `The public key’s address answers ${answer.status}.`, next);
  const same = pointOf(answer.body) === pointOf(publicKey);
  if (!same)
    return wrong(id, 'Another key than this service’s is at the public key’s address.', next);
  return fine(id, `The public key answers at ${url}.`);
}

/** How the application stands with each region; where accounts live there, not being registered is in their way. */
export function registrationChecks(
  { registrations }: ApplicationView,
  regionsInUse: ReadonlySet<string>,
): Check[] {
  return registrations.map(({ region, status, description, detail, next }) => {
    const id = `registration.${region}`;
    const words = detail === null ? '' : ` The maker said: ${detail}`;
    const says = `Region ${region}: ${description}${words}`;
    if (next === null) return fine(id, says);
    const level = regionsInUse.has(region) ? wrong : odd;
    return status === 'NOT_REGISTERED' && !regionsInUse.has(region)
      ? odd(id, says, `${next} Or take ${region} out of ODOGRAPH_MAKER_REGIONS.`)
      : level(id, says, next);
  });
}

/** Whether the maker's signing proxy answers. */
export async function proxyCheck({ commandProxyUrl }: Config): Promise<Check> {
  const id = 'signing_proxy';
  if (commandProxyUrl === null) return fine(id, 'No signing proxy is set.');
  const answer = await exchange(`${commandProxyUrl}/health`, { method: 'GET' }, limits);
  if (answer.kind === 'answered' && answer.status === 200) {
    return fine(id, 'The signing proxy answers.');
  }
  const how = answer.kind === 'answered' ? `with ${answer.status}` : `not (${answer.kind})`;
  const next =
    'See that it runs at ODOGRAPH_COMMAND_PROXY_URL; a certificate that it made itself is named in NODE_EXTRA_CA_CERTS.';
  return wrong(id, `The signing proxy answers ${how}.`, next);
}
