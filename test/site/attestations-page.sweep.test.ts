import type { BrowserContextOptions, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { justificationHash } from '../../pipeline/attestation/canonical-bytes.ts';
import {
  DEMO_LEDGER_IDS,
  demoCompanionKeys,
  signWithDemoWallet,
} from '../../pipeline/attestation/demo-companions.ts';
import type { JsonObject } from '../../pipeline/attestation/limited-json.ts';
import type { PublishedRegistry } from '../../pipeline/attestation/published-registry.ts';
import { signAttestation } from '../../pipeline/attestation/sign-attestation.ts';
import { signRequest } from '../../pipeline/sample/signed-request.ts';
import { sampleTexts } from '../../pipeline/sample/texts.ts';
import { JUSTIFICATION } from '../attestation/signed-document.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { useBrowser } from '../setups/use-browser.ts';
import { type Built, buildFixture } from './build-fixture.ts';
import { type Host, openHost } from './explore-host.ts';
import { violations } from './visit.ts';

const DAY_MS = 86_400_000;

let built: Built;
const browser = useBrowser();
let host: Host;

beforeAll(async () => {
  built = await buildFixture();
  host = await openHost(built.out);
});

afterAll(() => host?.[Symbol.asyncDispose]());

/** The page, loaded; what it asks for from then on, and what goes wrong in it. */
async function opened(options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const [requests, wrong]: [string[], string[]] = [[], []];
  page.on(
    'console',
    (message) => ['error', 'warning'].includes(message.type()) && wrong.push(message.text()),
  );
  page.on('pageerror', (error) => wrong.push(error.message));
  await page.goto(`${host.origin}/attestations/`);
  // The last that a page asks for by itself: its worker, which has the registry then, and its fonts.
  if (options.javaScriptEnabled !== false) await settled(page);
  await page.evaluate(async () => void (await document.fonts.ready));
  // The icon is the browser's own wish, at any time.
  page.on('request', (request) => {
    if (!new URL(request.url()).pathname.startsWith('/favicon')) requests.push(request.url());
  });
  return { page, requests, wrong };
}

/** Of a companion of the sample, with each algorithm in turn; for a day. */
function signedNow(place: number, now: number = Date.now()): JsonObject {
  const attestedAt = Math.floor(now / 1000) * 1000 - 1000;
  const monitored = { threshold: 0.1, check_interval: 'P1D' };
  const request = {
    request: sampleTexts().requests[0]!,
    ledger_id: DEMO_LEDGER_IDS[0]!,
    attestedAt,
    expiresAt: attestedAt + DAY_MS,
  };
  return signRequest({ ...request, monitored, previous: null }, demoCompanionKeys()[place]!).document;
}

const textIn = async (page: Page, place: string) => (await page.textContent(place)) ?? '';

async function verify(page: Page, text: string): Promise<string> {
  await page.fill('#document', text);
  await page.click('#verify-form button[type="submit"]');
  await settled(page);
  return textIn(page, '#verdict');
}

/** The worker has answered. */
async function settled(page: Page): Promise<void> {
  await page.locator('#verify-form:not([aria-busy])').waitFor();
}

describe('the page of attestations', () => {
  test.each([0, 2])('verifies a pasted document without a request (%d)', async (place) => {
    const { page, requests, wrong } = await opened();
    const said = await verify(page, JSON.stringify(signedNow(place), null, 2));
    expect(said).toContain('Valid, but not registered');
    expect(said).toMatch(/WalletPassed/);
    expect(said).toMatch(/SignaturePassed/);
    const changed = await verify(page, JSON.stringify({ ...signedNow(place), risk_level: 'high' }));
    expect(changed).toContain('Not valid');
    expect(changed).toContain('/signature');
    expect([requests, wrong]).toEqual([[], []]);
  });

  test('says what is wrong, and where, and takes nothing of it for markup', async () => {
    const { page, requests, wrong } = await opened();
    const markup = '<img src=x onerror=alert(1)>';
    const said = await verify(page, JSON.stringify({ ...signedNow(0), [markup]: 1, scope: ['One'] }));
    expect(said).toContain('/scope/0');
    expect(said).toContain(`/${markup}`);
    expect(said).toContain('unknown_member');
    expect(await page.locator('#verdict img').count()).toBe(0);
    expect(await verify(page, '')).toContain('not_json');
    expect([requests, wrong]).toEqual([[], []]);
  });

  test('does not take for valid what has expired by the ledger’s time, where the clock is behind that', async () => {
    const { page } = await opened();
    const registry: PublishedRegistry = JSON.parse(await textIn(page, '#registry'));
    const asOf = Date.parse(registry.timestamp);
    await page.clock.setFixedTime(asOf - 1.5 * DAY_MS);
    const expired = JSON.stringify(signedNow(0, asOf - 2 * DAY_MS));
    expect(await verify(page, expired)).toContain('Not valid: it has expired');
  });

  test('verifies the very bytes of a file that is chosen or dropped', async () => {
    const { page, requests } = await opened();
    const text = JSON.stringify(signedNow(0));
    const file = (buffer: Buffer) => ({ name: 'signed.json', mimeType: 'application/json', buffer });
    await page.setInputFiles('#document-file', file(Buffer.from(text)));
    await page.getByText('Valid, but not registered').waitFor();
    await page.setInputFiles('#document-file', file(Buffer.from(`\ufeff${text}`)));
    await page.getByText('not_utf8').waitFor();
    await page.setInputFiles('#document-file', file(Buffer.alloc(200_000, ' ')));
    await page.getByText('too_large').waitFor();
    await page.evaluate((dropped) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([dropped], 'signed.json'));
      document
        .querySelector('#document')!
        .dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
    }, text);
    await page.getByText('Valid, but not registered').waitFor();
    expect(requests.filter((url) => !url.startsWith('blob:'))).toEqual([]);
  });

  test('says of a folder that it cannot be read, and leaves no other verdict standing', async () => {
    const { page, requests, wrong } = await opened();
    expect(await verify(page, JSON.stringify(signedNow(0)))).toContain('Valid, but not registered');
    await page.locator('#document').scrollIntoViewIfNeeded();
    const { x, y } = (await page.locator('#document').boundingBox())!;
    const session = await page.context().newCDPSession(page);
    const data = { items: [], files: [await temporaryFolder()], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await session.send('Input.dispatchDragEvent', { type, x: x + 5, y: y + 5, data });
    await page.getByText('No verdict').waitFor();
    const said = await textIn(page, '#verdict');
    expect(said).toMatch(/^No verdictThe browser cannot read cathedral-/);
    expect([requests, wrong]).toEqual([[], []]);
  });

  test('names the file that its verdict is about, and takes the same one again', async () => {
    const { page } = await opened();
    const file = { name: 'mine.json', mimeType: 'application/json', buffer: Buffer.from('{') };
    const choose = async () => {
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.click('#document-file')]);
      return chooser;
    };
    await (await choose()).setFiles(file);
    await page.getByText('not_json').waitFor();
    expect(await textIn(page, '#verdict dl')).toBe('Filemine.json');
    const again = await choose();
    expect(await page.inputValue('#document-file')).toBe('');
    await again.setFiles({ ...file, buffer: Buffer.from('{}') });
    await page.getByText('missing_member').first().waitFor();
    await page.fill('#document', '{}');
    await page.click('#verify-form button[type="submit"]');
    await settled(page);
    expect(await textIn(page, '#verdict')).not.toContain('mine.json');
  });

  test('is used by keyboard alone, and the verdict is where one is then', async () => {
    const { page } = await opened();
    await page.focus('#document');
    await page.keyboard.insertText(JSON.stringify(signedNow(0)));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await expect.poll(focused).toMatch(/^Valid, but not registered/);
  });

  test('leads from each problem to its place in the text, by keyboard, too', async () => {
    const { page, requests, wrong } = await opened();
    const padding = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`note_${index}`, 'x'.repeat(300)]),
    );
    const { metadata: _, risk_justification: __, ...rest } = signedNow(0);
    const between = { risk_justification: 'for a reason '.repeat(1000) };
    const long = { metadata: padding, ...rest, scope: ['ledger.read', 'One'], ...between, extra: 1 };
    await verify(page, JSON.stringify(long, null, 2));
    const selected = () =>
      page.evaluate(() => {
        const text = document.querySelector<HTMLTextAreaElement>('#document')!;
        const isThere = document.activeElement === text;
        return isThere ? text.value.slice(text.selectionStart, text.selectionEnd) : null;
      });
    await page.getByRole('button', { name: '/scope/1: select it in the text' }).focus();
    await page.keyboard.press('Enter');
    expect(await selected()).toBe('"One"');
    const scrolled = () =>
      page.evaluate(() => {
        const { scrollTop, scrollHeight, clientHeight } = document.querySelector('#document')!;
        return scrollTop / (scrollHeight - clientHeight);
      });
    // After a fill the end is in view, which has none of it.
    expect(await scrolled()).toBeLessThan(0.8);
    expect(await scrolled()).toBeGreaterThan(0.4);
    await page.getByRole('button', { name: '/extra: select it in the text' }).click();
    expect(await selected()).toBe('"extra": 1');
    expect(await scrolled()).toBe(1);
    await verify(page, '{"a": 1,\n "a": 2}');
    await page.getByRole('button', { name: '/a: select it in the text' }).click();
    expect(await selected()).toBe('"a"');
    // What is missing at the top is missing in the whole: there is nothing to select.
    expect(await verify(page, JSON.stringify({ ...signedNow(0), risk_level: undefined }))).toContain(
      '/risk_level',
    );
    expect(await page.locator('#verdict button').count()).toBe(0);
    expect([requests, wrong]).toEqual([[], []]);
  });

  test('keeps the end of a request while its wallet signs it', async () => {
    const { page, wrong } = await opened();
    const began = Math.floor(Date.now() / 1000) * 1000 - 60_000;
    const submit = async (after: number) => {
      await page.clock.setFixedTime(began + after);
      await page.click('#draft-form button[type="submit"]');
      await settled(page);
      await settled(page);
      return textIn(page, '#draft');
    };
    const document = async () => JSON.parse((await page.locator('#draft pre').first().textContent())!);
    await page.fill('#new-companion', 'LANTERN');
    await page.fill('#new-ledger-id', DEMO_LEDGER_IDS[0]!);
    await page.fill('#new-scope', 'ledger.read.export');
    await page.fill('#new-justification', JSON.stringify(JUSTIFICATION));
    await submit(0);
    const first = await document();
    await page.fill('#new-wallet-signature', signWithDemoWallet(first));
    await page.selectOption('#new-risk', 'medium');
    expect(await submit(30_000)).toMatch(
      /^Unsigned document[\s\S]*The wallet 0x[0-9a-f]{40} has signed the request\./,
    );
    const complete = await document();
    expect(complete).toMatchObject({
      expires_at: first.expires_at,
      attested_at: first.attested_at,
      risk_level: 'medium',
    });
    const { document: sealed } = signAttestation(
      JSON.stringify(complete),
      demoCompanionKeys()[0]!,
      Date.now(),
    );
    expect(await verify(page, JSON.stringify(sealed))).toMatch(/WalletPassed/);
    await page.fill('#new-scope', 'ledger.read');
    expect(await submit(40_000)).toContain('or over a different request');
    await page.fill('#new-wallet-signature', '');
    await submit(50_000);
    expect((await document()).expires_at).not.toBe(first.expires_at);
    await page.fill('#new-scope', ' ledger.read.export');
    await submit(55_000);
    expect((await document()).expires_at).toBe(first.expires_at);
    await page.getByText('Optional fields').click();
    await page.fill('#new-expires-at', '2026-01-31T06:00:00Z');
    expect(await submit(56_000)).toContain('expires_at is not after attested_at');
    expect(wrong).toEqual([]);
  });

  test('makes a document that a companion can sign, with its justification hashed', async () => {
    const { page, requests, wrong } = await opened();
    await page.click('#draft-form button[type="submit"]');
    await settled(page);
    await page.fill('#new-companion', 'LANTERN');
    await page.fill('#new-ledger-id', DEMO_LEDGER_IDS[0]!);
    await page.fill('#new-scope', 'ledger.read.export, audit.trail.annotate');
    await page.fill('#new-justification', JSON.stringify(JUSTIFICATION, null, 2));
    await page.click('#draft-form button[type="submit"]');
    await settled(page);
    const [text = '', wallet] = await page.locator('#draft pre').allTextContents();
    const draft = JSON.parse(text);
    expect(draft).toMatchObject({
      epicon_ej: JUSTIFICATION,
      epicon_ej_hash: justificationHash(JUSTIFICATION),
    });
    expect(draft).not.toHaveProperty('signature');
    expect(wallet).toContain('Companion Attestation 1.0.0\nledger_id: ');
    const complete = { ...draft, wallet_signature: signWithDemoWallet(draft) };
    const { document } = signAttestation(JSON.stringify(complete), demoCompanionKeys()[0]!, Date.now());
    expect(await verify(page, JSON.stringify(document))).toContain('Valid, but not registered');
    await page.check('#new-hash-only');
    await page.click('#draft-form button[type="submit"]');
    await settled(page);
    expect(JSON.parse((await page.locator('#draft pre').first().textContent())!)).not.toHaveProperty(
      'epicon_ej',
    );
    await page.fill('#new-scope', 'Ledger');
    await page.fill('#new-justification', '{"a":1,"a":2}');
    await page.click('#draft-form button[type="submit"]');
    await settled(page);
    expect(await textIn(page, '#draft')).toMatch(/\/epicon_ej\/a[\s\S]*\/scope\/0/);
    expect([requests, wrong]).toEqual([[], []]);
  });

  test('asks the service for what is newer by a button alone', async () => {
    const { page, requests } = await opened();
    await page.click('#refresh');
    await page.getByText('The page still uses the registry that it has.').waitFor();
    expect(requests).toEqual([`${host.origin}/philosophy/companions.json`]);
  });

  test.each([
    { viewport: { width: 1280, height: 900 }, colorScheme: 'light' as const },
    { viewport: { width: 320, height: 640 }, colorScheme: 'dark' as const },
  ])('is accessible with a verdict and a draft in it, at $viewport.width px', async (reader) => {
    const { page } = await opened(reader);
    await verify(page, JSON.stringify({ ...signedNow(0), scope: ['One'] }));
    await page.fill('#new-companion', 'LANTERN');
    await page.fill('#new-ledger-id', DEMO_LEDGER_IDS[0]!);
    await page.fill('#new-scope', 'ledger.read.export');
    await page.fill('#new-justification', JSON.stringify(JUSTIFICATION));
    await page.click('#draft-form button[type="submit"]');
    await settled(page);
    expect(await violations(page)).toEqual([]);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(reader.viewport.width);
  });

  test('explains itself, with the commands, where no script runs', async () => {
    const { page } = await opened({ javaScriptEnabled: false });
    await expect.poll(() => page.locator('#verify-form').isVisible()).toBe(false);
    const text = await textIn(page, 'main');
    for (const words of [
      'attest verify --file signed.json',
      '/attestations/verify',
      'What is checked',
      'LANTERN',
    ])
      expect(text).toContain(words);
  });

  test('has a page for implementers, with the bytes that are signed', async () => {
    const { page } = await opened();
    await page.goto(`${host.origin}/attestations/implementers/`);
    const text = await textIn(page, 'main');
    for (const words of [
      'What is signed',
      'companion-attestation/1.0.0',
      'openssl pkeyutl -sign',
      'signature_high_s',
    ])
      expect(text).toContain(words);
  });
});
