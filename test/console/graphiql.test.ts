import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, validate } from 'graphql';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { schema } from '../../src/schema/index.ts';
import { type BootedService, boot } from '../support/boot.ts';
import { browserMissing, openBrowser, openPage } from '../support/browser.ts';
import { ensurePagesBuilt } from '../support/built.ts';

const tabsFolder = join(packageRoot, 'src/console/graphiql/tabs');

describe('the tabs of GraphiQL', () => {
  it.each(readdirSync(tabsFolder))('%s fits the schema', (file) => {
    const document = parse(readFileSync(join(tabsFolder, file), 'utf8'));
    expect(validate(schema, document)).toEqual([]);
  });
});

const missing = browserMissing();

describe.skipIf(missing !== null)('GraphiQL in a browser', () => {
  let booted: BootedService;
  let browser: Browser;
  let link = '';
  beforeAll(async () => {
    await ensurePagesBuilt();
    booted = await boot({ garageDays: 6 });
    browser = await openBrowser();
    link = `${booted.baseUrl}/graphiql#token=${booted.service.token}`;
  });
  afterAll(async () => {
    await browser.close();
    await booted[Symbol.asyncDispose]();
  });

  /** Waits until the editor shows `text`; before that, pressing the button does nothing. */
  function questionHolding(page: Page, text: string): Promise<void> {
    return page.locator('.graphiql-query-editor').getByText(text, { exact: true }).waitFor();
  }

  /** The answer shown in the response pane, once it holds `text`. */
  async function answerHolding(page: Page, text: string): Promise<string> {
    const pane = page.locator('.graphiql-response');
    await pane.getByText(text).first().waitFor();
    // Monaco shows spaces as no-break spaces.
    return (await pane.innerText()).replaceAll('\u00a0', ' ');
  }

  it('runs every tab as it is with the token of the link, without a word of complaint', async () => {
    await using watched = await openPage(browser, booted.baseUrl);
    const { page, complaints } = watched;
    await page.goto(link);
    const titles = ['Garage', 'Drives', 'DriveWithRoute', 'ChargingCurve'];
    for (const title of titles) {
      await page.getByRole('tab').getByText(title, { exact: true }).click();
      await questionHolding(page, title);
      const answered = page.waitForResponse(
        (response) =>
          response.url() === `${booted.baseUrl}/graphql` &&
          (response.request().postData() ?? '').includes(`query ${title} {`),
      );
      await page.getByRole('button', { name: 'Execute query (Ctrl-Enter)' }).click();
      const body = await (await answered).json();
      expect(body.errors).toBeUndefined();
      expect(body.data.vehicles.nodes).toHaveLength(2);
      expect(await answerHolding(page, '"publicId"')).toContain('blue-heron');
    }
    expect(complaints).toEqual([]);
  });

  it('renews the answer of a subscription by itself, over a socket, without a word of complaint', async () => {
    await using watched = await openPage(browser, booted.baseUrl);
    const { page, complaints } = watched;
    await page.goto(link);
    await questionHolding(page, 'Garage');
    await page.getByRole('tab').getByText('LiveVehicle', { exact: true }).click();
    await questionHolding(page, 'LiveVehicle');
    const opened = page.waitForEvent('websocket');
    await page.getByRole('button', { name: 'Execute query (Ctrl-Enter)' }).click();
    const socket = await opened;
    let answers = 0;
    await socket.waitForEvent('framereceived', {
      predicate: ({ payload }) => {
        if (String(payload).includes('"vehicleUpdated"')) answers += 1;
        return answers > 2;
      },
    });
    expect(await answerHolding(page, '"vehicleUpdated"')).toContain('"speedKmh"');
    expect(complaints).toEqual([]);
  });

  it('shows routes and curves in its tabs, not only empty lists', async () => {
    for (const [file, field] of [
      ['drive-with-route.graphql', 'points'],
      ['charging-curve.graphql', 'powerKw'],
    ]) {
      const query = readFileSync(join(tabsFolder, file ?? ''), 'utf8');
      const answer = await booted.graphql({ query }, booted.service.token);
      expect(await answer.text()).toContain(`"${field}":`);
    }
  });

  it('takes the token out of the address bar and keeps it for this browser tab only', async () => {
    await using watched = await openPage(browser, booted.baseUrl);
    const { page } = watched;
    await page.goto(link);
    await page.getByText('kept in this browser tab only').waitFor();
    expect(page.url()).toBe(`${booted.baseUrl}/graphiql`);
    const kept = await page.evaluate(() => ({
      session: Object.values(sessionStorage).join(),
      local: Object.values(localStorage).join(),
      cookies: document.cookie,
    }));
    expect(kept.session).toContain(booted.service.token);
    expect(kept.local).not.toContain('odo_pat_');
    expect(kept.cookies).toBe('');
  });

  it('keeps working after a reload, and forgets the token when it is told to', async () => {
    await using watched = await openPage(browser, booted.baseUrl);
    const { page } = watched;
    await page.goto(link);
    await page.getByText('kept in this browser tab only').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Forget' }).click();
    await page.getByLabel('Without a token only public fields answer.').waitFor();
    expect(await page.evaluate(() => sessionStorage.getItem('odograph:token'))).toBeNull();
  });

  it('fits a phone: nothing scrolls sideways, and question and answer are both wide enough', async () => {
    await using watched = await openPage(browser, booted.baseUrl, { width: 390, height: 844 });
    const { page, complaints } = watched;
    await page.goto(link);
    await questionHolding(page, 'Garage');
    await page.getByRole('button', { name: 'Execute query (Ctrl-Enter)' }).click();
    await answerHolding(page, '"publicId"');
    const widths = await page.evaluate(() => ({
      page: document.documentElement.scrollWidth,
      question: document.querySelector('.graphiql-editors')?.clientWidth,
      answer: document.querySelector('.graphiql-response')?.clientWidth,
    }));
    expect(widths.page).toBe(390);
    expect(widths.question).toBeGreaterThan(330);
    expect(widths.answer).toBeGreaterThan(330);
    expect(complaints).toEqual([]);
  });
});
