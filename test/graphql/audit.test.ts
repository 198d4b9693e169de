import { auditServer } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BootedService, boot } from '../support/boot.ts';

let booted: BootedService;
beforeAll(async () => {
  booted = await boot();
});
afterAll(() => booted[Symbol.asyncDispose]());

describe('GraphQL over HTTP', () => {
  it('passes every audit of the specification', async () => {
    const results = await auditServer({ url: `${booted.baseUrl}/graphql`, fetchFn: fetch });
    const failed = results.filter(({ status }) => status !== 'ok');
    expect(failed.map(({ id, name }) => `${id} ${name}`)).toEqual([]);
    expect(results).toHaveLength(61);
  });
});
