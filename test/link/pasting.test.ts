import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Journey, startJourney, textAt } from './journey.ts';

const ROOT = '/api/account/maker-accounts';

let journey: Journey;
beforeAll(async () => {
  // Beside a configured maker the garage runs only when it is told to.
  journey = await startJourney({ ODOGRAPH_GARAGE: 'on' });
}, 60_000);
afterAll(() => journey?.[Symbol.asyncDispose]());
afterEach(() => journey.maker.clearFaults());

/** A refresh token as the person has it from elsewhere. */
const tokenOf = (subject: string, scopes?: string[]) =>
  journey.maker.seedTokens({ subject, vins: journey.vins, scopes }).refreshToken;

describe('linking with a refresh token', () => {
  it('links at once, by a real renewal, and follows the vehicles', async () => {
    const person = await journey.person();
    const refresh_token = tokenOf('pasted');
    const asked = journey.maker.calls.token;
    const told = await person.call('POST', ROOT, { refresh_token, label: 'Pasted' });
    expect(told).toMatchObject({
      status: 200,
      response: {
        authorize_url: null,
        state: null,
        maker_account: {
          label: 'Pasted',
          status: 'ACTIVE',
          region: 'EU',
          email_masked: 'p***@***.invalid',
          vehicles_count: journey.vins.length,
        },
      },
    });
    expect(journey.maker.calls.token).toBe(asked + 1);
  });

  it('has the pair stored, sealed, before it asks anything with it', async () => {
    const person = await journey.person();
    // All questions with the new token fail, and so would a link that were stored after them.
    journey.maker.fault({ kind: 'closed' });
    const told = await person.call('POST', ROOT, { refresh_token: tokenOf('stored first') });
    expect(told).toMatchObject({ status: 200, response: { maker_account: { status: 'ACTIVE' } } });
    const [row] = await journey.service.prisma.makerAccount.findMany({
      where: { accountId: person.account.id },
    });
    expect(row?.refreshToken).toMatch(/^v1\./);
    journey.maker.clearFaults();
    const id = textAt(Reflect.get(Object(told.response), 'maker_account'), 'id');
    expect((await person.call('POST', `${ROOT}/${id}/refresh`)).status).toBe(200);
  });

  it('survives an answer that is lost, where the maker takes the token once more', async () => {
    const person = await journey.person();
    journey.maker.fault({ kind: 'token_unavailable', times: 1 });
    const told = await person.call('POST', ROOT, { refresh_token: tokenOf('lost') });
    expect(told.status).toBe(200);
  });

  it('finds an account again that is linked, in the same row', async () => {
    const person = await journey.person();
    const id = await person.link({ subject: 'known' });
    const told = await person.call('POST', ROOT, { refresh_token: tokenOf('known') });
    expect(told).toMatchObject({ status: 200, response: { maker_account: { id } } });
  });

  it('refuses a token that was used, and says so at the field', async () => {
    const person = await journey.person();
    const refresh_token = tokenOf('twice');
    expect((await person.call('POST', ROOT, { refresh_token })).status).toBe(200);
    const again = await person.call('POST', ROOT, { refresh_token });
    expect(again).toMatchObject({ status: 422, error: 'validation_failed' });
    expect(JSON.parse(again.text).messages).toEqual({
      refresh_token: [expect.stringContaining('was used')],
    });
    expect(again.text).not.toContain(refresh_token.slice(4, 40));
  });

  it.each(['', '   ', 'two words', 'a\nb', 'x'.repeat(8_193)])(
    'refuses what is no token, without asking: %#',
    async (refresh_token) => {
      const person = await journey.person();
      const asked = journey.maker.calls.token;
      expect(await person.call('POST', ROOT, { refresh_token })).toMatchObject({ status: 422 });
      expect(journey.maker.calls.token).toBe(asked);
    },
  );

  it('tells of a maker that is down or wants fewer requests', async () => {
    const person = await journey.person();
    journey.maker.fault({ kind: 'token_unavailable' });
    expect(await person.call('POST', ROOT, { refresh_token: tokenOf('down') })).toMatchObject({
      status: 503,
      error: 'maker_unavailable',
    });
    journey.maker.clearFaults();
    journey.maker.fault({ kind: 'rate_limited', on: ['token'] });
    expect(await person.call('POST', ROOT, { refresh_token: tokenOf('limited') })).toMatchObject({
      status: 429,
      error: 'maker_rate_limited',
    });
  });

  it('echoes no token, whatever is wrong with the request', async () => {
    const person = await journey.person();
    const query = `mutation ($input: LinkMakerAccountInput!) { linkMakerAccount(input: $input) { state } }`;
    const secret = 'EU_never-to-be-seen-again';
    for (const input of [
      { refreshToken: [secret] },
      { refreshToken: { a: secret } },
      { refresh_token: secret },
      { refreshToken: secret, maker: 7 },
      { refreshToken: secret, seed: 'both' },
      { refreshToken: secret, label: 'x'.repeat(101) },
      { refreshToken: secret },
    ]) {
      const answer = await journey.service.graphql({ query, variables: { input } }, person.token);
      const text = await answer.text();
      expect(text).toContain('errors');
      expect(text).not.toContain('never-to-be-seen');
    }
    const literal = `mutation { linkMakerAccount(input: { refreshToken: ["${secret}"] }) { state } }`;
    const answer = await journey.service.graphql({ query: literal }, person.token);
    expect(await answer.text()).not.toContain('never-to-be-seen');
    expect(journey.said()).not.toContain('never-to-be-seen');
  });
});

describe('linking a person of the garage', () => {
  it('needs no browser, and the same seed is the same person', async () => {
    const person = await journey.person();
    const wish = { maker: 'simulator', seed: 'ada' };
    const told = await person.call('POST', ROOT, wish);
    expect(told).toMatchObject({
      status: 200,
      response: {
        authorize_url: null,
        maker_account: { maker: 'simulator', region: 'SIM', simulated: true, status: 'ACTIVE' },
      },
    });
    expect((await person.call('POST', ROOT, wish)).response).toMatchObject({
      maker_account: { id: textAt(Reflect.get(Object(told.response), 'maker_account'), 'id') },
    });
    const other = await person.call('POST', ROOT, { seed: 'grace' });
    expect((await person.call('GET', ROOT)).response).toHaveLength(2);
    expect(other.status).toBe(200);
  });

  it('is of the garage alone, and one way at a time', async () => {
    const person = await journey.person();
    const unclear = { seed: 'ada', refresh_token: 'EU_x' };
    for (const wish of [{ maker: 'tesla', seed: 'ada' }, { seed: 'a b' }, { seed: '' }, unclear]) {
      expect(await person.call('POST', ROOT, wish)).toMatchObject({
        status: 422,
        error: 'validation_failed',
      });
    }
  });
});
