import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

const executablePath = '/usr/bin/chromium';

/** Why browser tests cannot run here; null when they can. In CI (`CI=true`) a missing browser is an error. */
export function browserMissing(): string | null {
  if (existsSync(executablePath)) return null;
  const reason = `${executablePath} is not installed (apt-get install chromium)`;
  if (process.env.CI === 'true') throw new Error(`Browser tests must run in CI, but ${reason}.`);
  process.stderr.write(`Browser tests are skipped: ${reason}.\n`);
  return reason;
}

/** A headless browser. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** A page of its own, with everything on it that should not be: console errors, page errors, foreign requests. */
export type WatchedPage = AsyncDisposable & { page: Page; complaints: string[] };

/** Opens an empty page that watches itself; only requests to `baseUrl` belong there. */
export async function openPage(
  browser: Browser,
  baseUrl: string,
  viewport = { width: 1280, height: 800 },
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`page: ${error.message}`));
  context.on('request', (request) => {
    const url = request.url();
    const own = url.startsWith(`${baseUrl}/`) || /^(data|blob):/.test(url);
    if (!own) complaints.push(`request: ${url}`);
  });
  context.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`);
  });
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}
