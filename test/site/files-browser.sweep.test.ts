import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useBrowser } from '../setups/use-browser.ts';
import { filesSite } from './files-release.ts';
import { servePages } from './serve-pages.ts';
import { stopClock } from './visit.ts';

let site: Awaited<ReturnType<typeof servePages>>;
const browser = useBrowser();

beforeAll(async () => {
  site = await servePages((await filesSite()).out);
});

afterAll(async () => {
  site?.server.close();
});

describe('the button beside an example', () => {
  const path = '/files/economy/mic-history.csv/';

  test('copies exactly what stands there, and says so', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    // What the button says is there for two seconds.
    await stopClock(page);
    await page.goto(`${site.origin}${path}`);
    await page.locator('summary', { hasText: 'curl' }).click();
    const button = page.getByRole('button', { name: 'Copy the example for curl' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' });
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const shown = await page.locator('[data-copy="the example for curl"] pre').textContent();
    expect(copied).toBe(shown);
    expect(copied).toMatch(/^curl .*mic-history\.csv'$/s);
    await context.close();
  });

  test('says so where the browser does not allow it', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await stopClock(page);
    await page.addInitScript(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('no'));
    });
    await page.goto(`${site.origin}${path}`);
    await page.getByRole('button', { name: 'Copy the address' }).click();
    await page.getByRole('status').getByText('Not allowed').waitFor({ state: 'attached' });
    await context.close();
  });

  test('is not there without JavaScript, and everything else is', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${site.origin}${path}`);
    expect(await page.getByRole('button', { name: /Copy|List/ }).count()).toBe(0);
    await page.getByText('pd.read_csv(').first().waitFor({ state: 'attached' });
    await page.getByRole('link', { name: /^Download CSV/ }).waitFor();
    await page.getByText('MIC minting history [data set]').waitFor({ state: 'attached' });
    await context.close();
  });
});
