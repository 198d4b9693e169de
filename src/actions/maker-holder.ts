import { maskedEmail, regionAnswer } from '../maker/account-answers.ts';
import { makerApi } from '../maker/api.ts';
import type { Connector } from '../maker/connector.ts';
import type { Tokens } from '../maker/identity.ts';
import { movedBaseUrl, type Region } from '../maker/regions.ts';
import type { OpenMakerCall } from './maker-door.ts';

/** What is known of who signed in. */
export type Holder = { region: Region; baseUrl: string; emailMasked: string | null };

/** Where the account lives and whose it is, as the maker says; what it does not say is taken from the tokens. */
export async function holderOf(
  { clock }: Pick<OpenMakerCall, 'clock'>,
  connector: Connector,
  { accessToken }: Tokens,
  region: Region,
): Promise<Holder> {
  const at = (baseUrl: string) =>
    makerApi({ baseUrl, token: () => Promise.resolve(accessToken), clock });
  let baseUrl = connector.apiUrlOf(region);
  let answer = await at(baseUrl).region();
  if (answer.kind === 'out_of_region' && answer.baseUrl !== null) {
    baseUrl = answer.baseUrl;
    answer = await at(baseUrl).region();
  }
  const said = regionAnswer(answer.kind === 'ok' ? answer.value : null);
  const moved = said.baseUrl === null ? null : movedBaseUrl(said.baseUrl, baseUrl);
  const me = await at(moved ?? baseUrl).me();
  return {
    region: said.region ?? region,
    baseUrl: moved ?? baseUrl,
    emailMasked: me.kind === 'ok' ? maskedEmail(me.value) : null,
  };
}
