import type { BrowserContextOptions, Locator, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { micHistory } from '../../pipeline/artifacts/economy/mic-history.ts';
import { formatEventLine } from '../../pipeline/ledger/events/event-line.ts';
import { leafHash } from '../../pipeline/ledger/log/merkle.ts';
import { cosign } from '../../pipeline/ledger/notes/cosignature.ts';
import {
  COSIGNATURE,
  type Cosigner,
  formatVerifierKey,
  noteText,
  type Signer,
} from '../../pipeline/ledger/notes/note.ts';
import { signerFromSeed } from '../../pipeline/ledger/notes/signer-from-seed.ts';
import { verifyProof } from '../../pipeline/verify/audit/verify-proof.ts';
import {
  BEGIN,
  LEDGER,
  PUBLISHER,
  type Site,
  type SmallOptions,
  STRANGER,
  smallSite,
} from '../mirror/small-service.ts';
import { useBrowser } from '../setups/use-browser.ts';
import { publicSite } from '../verify/rows/public-log.ts';
import { type Built, buildFixture } from './build-fixture.ts';
import { type Host, openHost } from './explore-host.ts';
import { fixtureLedger } from './fixture-ledger.ts';
import { violations, visit } from './visit.ts';

const HOUR_MS = 3_600_000;
const RELEASE = 4;

let built: Built;
const browser = useBrowser();
let host: Host;

beforeAll(async () => {
  built = await buildFixture();
  host = await openHost(built.out);
});

afterAll(() => host?.[Symbol.asyncDispose]());

/** A line of the ledger. */
const event = (index: number) =>
  `{"seq":${index},"timestamp":"2025-12-01T00:00:00Z","data":{"n":${index}},"salt":"AAAA"}`;
/** Without public events, which these lines are not. */
const siteOf = (options: Partial<SmallOptions> = {}): Site =>
  new Map(
    [...smallSite({ release: RELEASE, event, ...options })].filter(
      ([path]) => !path.startsWith('log/public/'),
    ),
  );
const hashOf = (index: number) => leafHash(Buffer.from(event(index)));

const NOW = BEGIN + RELEASE * 6 * HOUR_MS;
const [one, two] = ['one', 'two'].map((name, at) =>
  signerFromSeed(`${name}.witness.example`, Buffer.alloc(32, 100 + at), COSIGNATURE),
) as [Signer<Cosigner>, Signer<Cosigner>];
const policyOf = (keys: readonly Signer<Cosigner>[]) =>
  [
    `log ${formatVerifierKey(LEDGER.verifier)}`,
    ...keys.map(({ verifier }, at) => `witness W${at} ${formatVerifierKey(verifier)}`),
    `group all-of-them all ${keys.map((_, at) => `W${at}`).join(' ')}`,
    'quorum all-of-them\n',
  ].join('\n');
const cosigned = (...keys: readonly Signer<Cosigner>[]) => cosignedSite(siteOf(), keys);
/** The same host with cosignatures of its checkpoint, of five minutes ago. */
function cosignedSite(site: Site, keys: readonly Signer<Cosigner>[]): Site {
  const note = site.get('log/checkpoint')!.toString();
  const lines = keys.map((key) => cosign(key, noteText(note, 'note'), NOW / 1000 - 300));
  return new Map(site).set('log/checkpoint', Buffer.from(note + lines.join('')));
}

interface Reader extends BrowserContextOptions {
  publisher?: string;
  ledger?: string;
  /** ms since 1970. */
  now?: number;
  /** Script that runs before that of the page's worker. */
  before?: string;
}

/** A host that contradicts itself is looked at again, after seconds: here they are over soon. */
const HURRY = 'const later = setTimeout; globalThis.setTimeout = (work, ms = 0) => later(work, ms / 50);';

/** The page on a host that has this small service's release, log and snapshots, with the keys put in. */
async function opened(site: Site, { publisher, ledger, now, before, ...options }: Reader = {}) {
  const { page, wrong, ...visited } = await visit(browser, 'about:blank', options);
  onTestFinished(() => visited[Symbol.asyncDispose]());
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  const served = { site };
  await page.route('**/*', (route) => {
    const path = new URL(route.request().url()).pathname.slice(1);
    const bytes = served.site.get(path);
    if (bytes) return route.fulfill({ body: bytes, contentType: 'text/plain' });
    // The host below has a log of its own, with public events.
    return path.startsWith('log/') ? route.fulfill({ status: 404 }) : route.continue();
  });
  await page.clock.setFixedTime(now ?? BEGIN + RELEASE * 6 * HOUR_MS);
  if (before)
    await page.route('**/verify-worker*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: `${before}\n${await response.text()}` });
    });
  await page.goto(`${host.origin}/verification/`);
  await page.fill('#publisher-key', publisher ?? formatVerifierKey(PUBLISHER.verifier));
  await page.fill('#ledger-key', ledger ?? formatVerifierKey(LEDGER.verifier));
  return { page, wrong, requests, served };
}

/** What an outcome says once there is a verdict: its title, and each step with its own. */
async function outcome(page: Page, id: string) {
  const place = page.locator(`#${id}-outcome`);
  await place.locator('h4').waitFor();
  const steps = await place
    .locator('li')
    .evaluateAll((items) =>
      items.map((item) => [
        item.querySelector('strong')!.textContent!,
        `${item.querySelector('.result')!.textContent}: ${item.querySelector('.detail')!.textContent}`,
      ]),
    );
  return {
    title: (await place.locator('h4').textContent())!,
    steps: Object.fromEntries(steps) as Record<string, string>,
  };
}

/** What a link of the page saves. The browser may be another process's, whose files are not at hand. */
async function saved(page: Page, link: Locator): Promise<{ name: string; buffer: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  return { name: download.suggestedFilename(), buffer: Buffer.concat(chunks) };
}

/** The worker's script is from the page's own host, as the page is. */
const ofData = (requests: readonly string[]) => requests.filter((url) => !url.includes('/_astro/'));

async function verifyRelease(page: Page) {
  await page.click('#release-form button[type="submit"]');
  return outcome(page, 'release');
}

async function proveEvent(page: Page, pasted: string) {
  await page.fill('#event', pasted);
  await page.click('#event-form button[type="submit"]');
  return outcome(page, 'event');
}

async function identify(page: Page, name: string, content: Buffer) {
  await page.setInputFiles('#file', { name, mimeType: 'text/plain', buffer: content });
  return outcome(page, 'file');
}

describe('the release', () => {
  test('is verified with the keys on the page, and only this host is contacted', async () => {
    const { page, requests, wrong } = await opened(siteOf());
    const { title, steps } = await verifyRelease(page);
    expect(title).toBe('This release is what the publisher and the ledger signed');
    expect(steps).toMatchObject({
      Signature: expect.stringMatching(/^Holds: .*signed version 4.*WebCrypto/),
      Manifest: expect.stringMatching(/^Holds: .*9 files/),
      Age: expect.stringMatching(/^Holds: .*valid until 3 December 2025/),
      Ledger: expect.stringMatching(/^Holds: .*400 events/),
    });
    expect(requests.filter((url) => !url.startsWith(`${host.origin}/`))).toEqual([]);
    expect(wrong).toEqual([]);
  });

  test('is verified without WebCrypto, and the page says so', async () => {
    const before = "Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined });";
    const { page } = await opened(siteOf(), { before });
    const { title, steps } = await verifyRelease(page);
    expect(title).toContain('This release is what');
    expect(steps.Signature).toContain('noble-curves, which comes with this page');
  });

  test.each<[what: string, step: string, says: RegExp, reader: Reader]>([
    ['a malformed key', 'Signature', /The publisher’s keys.*config_invalid/s, { publisher: 'a key' }],
    ['no key', 'Signature', /name\+id\+base64.*nothing/s, { publisher: ' ' }],
    ['a malformed ledger key', 'Ledger', /The ledger’s keys.*config_invalid/s, { ledger: 'x+1+y' }],
  ])('cannot be checked with %s, which is not called false', async (_, step, says, reader) => {
    const { page } = await opened(siteOf(), reader);
    const { title, steps } = await verifyRelease(page);
    expect(title).toMatch(/cannot be checked|not all of it can be checked/);
    expect(steps[step]).toMatch(/^Cannot be checked/);
    expect(steps[step]).toMatch(says);
    expect(await page.locator('#release-outcome .is-invalid, #release-outcome .failed').count()).toBe(0);
  });

  test('cannot be checked if the host does not answer; the file is named, and another try is offered', async () => {
    const { page } = await opened(siteOf());
    await page.route('**/latest.json', (route) => route.abort());
    const { title, steps } = await verifyRelease(page);
    expect(title).toBe('This cannot be checked: see the step that says why');
    expect(steps.Signature).toMatch(/^Cannot be checked: .*mirror_unreachable/s);
    expect(await page.textContent('#release-outcome')).toContain('/latest.json could not be loaded.');
    await page.unroute('**/latest.json');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('This release is what the publisher and the ledger signed').waitFor();
  });

  test('cannot be checked without the worker’s script, which is named', async () => {
    const { page } = await opened(siteOf());
    await page.route('**/verify-worker*', (route) => route.abort());
    const { title } = await verifyRelease(page);
    expect(title).toMatch(/^This page failed: .*verify-worker.*cannot be loaded/);
    await page.unroute('**/verify-worker*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('This release is what the publisher and the ledger signed').waitFor();
  });

  const stranger = formatVerifierKey(STRANGER.verifier);
  const flip = (bytes: Buffer) => bytes.map((byte, index) => (index === 100 ? byte ^ 1 : byte));
  test.each<[what: string, step: string, says: RegExp, lie: (site: Site) => void, reader: Reader]>([
    [
      'a manifest with one bit changed',
      'Signature',
      /Expected.*SHA-256 .*Found.*mirror_mismatch/,
      (site) => void site.set('manifest.json', Buffer.from(flip(site.get('manifest.json')!))),
      { before: HURRY },
    ],
    [
      'another key on the page than the one that has signed',
      'Signature',
      /a signature by data.example.org\+.*mirror_untrusted/,
      () => {},
      { publisher: stranger },
    ],
  ])('is refused: %s', async (_, step, says, lie, reader) => {
    const site = siteOf();
    lie(site);
    const { page } = await opened(site, reader);
    const { title, steps } = await verifyRelease(page);
    expect(title).toMatch(/does not hold/);
    expect(steps[step]).toMatch(/^Does not hold/);
    expect(steps[step]!.replaceAll('\n', ' ')).toMatch(says);
  });
});

describe('the witnesses of a policy', () => {
  test('are a step of their own, also for an event and its proof', async () => {
    const { page, served, wrong } = await opened(cosigned(one, two));
    expect((await verifyRelease(page)).steps.Witnesses).toMatch(/^Not checked: No policy/);
    await page.fill('#policy', policyOf([one, two]));
    const { title, steps } = await verifyRelease(page);
    const holds = 'Holds: 2 of 2 witnesses of the policy signed this checkpoint, the oldest 5 minutes ago.';
    expect([title, steps.Witnesses, steps.Ledger!.slice(0, 5)]).toEqual([
      'This release is what the publisher and the ledger signed',
      holds,
      'Holds',
    ]);
    expect((await proveEvent(page, hashOf(300))).steps.Witnesses).toBe(holds);
    const link = page.getByRole('link', { name: 'Save the proof' });
    const proof = { ...(await saved(page, link)), mimeType: 'text/plain' };
    served.site = cosigned(one);
    const shown = await proveEvent(page, hashOf(300));
    expect(shown.title).toMatch(
      /^Event 300 is in the ledger’s log. But that may not be the log that others see/,
    );
    expect(shown.steps.Witnesses).toMatch(
      /^Does not hold: .*at least 2 of 2 witnesses.*none by W1.*witness_quorum/s,
    );
    expect(shown.steps.Tiles).toMatch(/^Holds/);
    await page.setInputFiles('#proof', proof);
    expect((await proveEvent(page, hashOf(300))).steps.Witnesses).toBe(holds);
    expect(wrong).toEqual([]);
  });

  test('cannot be checked with a policy that is none', async () => {
    const { page } = await opened(cosigned(one));
    await page.fill('#policy', `witness A ${formatVerifierKey(one.verifier)}\ngroup B any C\nquorum B\n`);
    const malformed = await verifyRelease(page);
    expect(malformed.title).toContain('not all of it can be checked');
    expect(malformed.steps.Witnesses).toMatch(
      /^Cannot be checked: .*the field “Policy”:2.*that is defined above.*"C"/s,
    );
  });
});

describe('a file', () => {
  const supply = (release: number) => smallSite({ release, event }).get('economy/supply')!;

  test('is identified by its hash, whatever its name', async () => {
    const { page, wrong } = await opened(siteOf());
    const { title, steps } = await identify(page, 'what is this.txt', supply(RELEASE));
    expect(title).toBe('This is /economy/supply of release-4, as of 1 December 2025, 18:00 UTC.');
    expect(steps.Hash).toContain('the file was not sent');
    expect(wrong).toEqual([]);
  });

  test('with one byte changed is detected by its name', async () => {
    const { page } = await opened(siteOf());
    const changed = Buffer.from(supply(RELEASE));
    changed[3]! ^= 1;
    const { title, steps } = await identify(page, 'supply (1).json', changed);
    expect(title).toBe(
      'supply (1).json is not the file of this release: it is of another one, or was changed',
    );
    expect(steps['In the release']).toMatch(/^Does not hold: .*which is \/economy\/supply/s);
  });

  test('of another kind cannot be checked, which is not called false', async () => {
    const { page } = await opened(siteOf());
    const { title, steps } = await identify(page, 'holiday.jpg', Buffer.from('no file of any release'));
    expect(title).toBe('holiday.jpg cannot be checked: this release has neither its hash nor its name');
    expect(steps['In the release']).toMatch(/^Cannot be checked/);
    expect(await page.locator('#file-outcome .is-invalid, #file-outcome .failed').count()).toBe(0);
  });
});

describe('an event', () => {
  const row = (index: number) => `2025-12-01T00:00:00Z,heartbeat,ATLAS,"{""n"":${index}}",0x${hashOf(index)}`;

  test.each([
    [
      'hash',
      (index: number) => `0x${hashOf(index).toUpperCase()}`.replace('0X', '0x'),
      /What the event says/,
    ],
    ['row of a CSV', row, /whether the event says what the row says/i],
    [
      'row of a JSON file',
      (index: number) =>
        `{"timestamp":"2025-12-01T00:00:00Z","event_type":"a","agent":"b","data":{},"attestation_hash":"0x${hashOf(index)}"},`,
      /whether the event says what the row says/i,
    ],
  ])('is proved to be in the log by its %s', async (_, pastedOf, says) => {
    const { page, wrong } = await opened(siteOf());
    for (const index of [0, 256, 399]) {
      const { title, steps } = await proveEvent(page, pastedOf(index));
      expect(title).toBe(`Event ${index} is in the ledger’s log`);
      expect(steps.Event).toBe(`Holds: Event ${index} is published only as a hash.`);
    }
    expect(await page.textContent('#event-outcome')).toMatch(says);
    expect(wrong).toEqual([]);
  });

  test('is proved with a saved proof, such as the one from this page', async () => {
    const { page, requests } = await opened(siteOf());
    await proveEvent(page, hashOf(300));
    const link = page.getByRole('link', { name: 'Save the proof' });
    const proof = { ...(await saved(page, link)), mimeType: 'text/plain' };
    await page.setInputFiles('#proof', proof);
    const asked = requests.length;
    expect((await proveEvent(page, hashOf(300))).steps.Proof).toMatch(
      /^Holds: .*number 300.*Nothing was fetched/,
    );
    expect((await proveEvent(page, hashOf(299))).steps.Proof).toMatch(/^Does not hold: .*lead elsewhere/s);
    expect(ofData(requests.slice(asked)).filter((url) => url.startsWith('http'))).toEqual([]);
  });

  const tile = (site: Site) => site.get('log/tile/0/000')!;
  test.each<
    [what: string, step: string, says: RegExp, lie: (site: Site) => void, pasted: string, reader: Reader]
  >([
    ['a hash that is not there', 'Event', /none among 400 events/, () => {}, 'ab'.repeat(32), {}],
    [
      'a line that was changed',
      'Event',
      /another line.*the hash of the line/s,
      () => {},
      event(5).replace('"n":5', '"n":6'),
      {},
    ],
    [
      'a tile that lies',
      'Event',
      /tile\/0\/000.*a tile with the root/s,
      (site) => void tile(site).set(tile(site).subarray(32, 64), 0),
      hashOf(0),
      {},
    ],
  ])('is not proved: %s', async (_, step, says, lie, pasted, reader) => {
    const site = siteOf();
    lie(site);
    const { page } = await opened(site, reader);
    const { title, steps } = await proveEvent(page, pasted);
    expect(title).toContain('does not hold');
    expect(steps[step]).toMatch(/^Does not hold/);
    expect(steps[step]).toMatch(says);
  });

  test('that cannot be checked is not called false', async () => {
    const { page, requests } = await opened(siteOf());
    const asked = requests.length;
    for (const pasted of [
      '',
      ' \n ',
      'hello',
      hashOf(1).slice(1),
      `${row(1)}\n${row(2)}`,
      'timestamp,event_type,agent,data,attestation_hash',
      '{"seq":1}',
      '[]',
      'x'.repeat(150_000),
    ]) {
      const { title, steps } = await proveEvent(page, pasted);
      expect(title, pasted.slice(0, 80)).toBe('This cannot be checked: see the step that says why');
      expect(steps.Row).toMatch(/^Cannot be checked: This is neither a row of a public history nor an event/);
      expect(await page.locator('#event-outcome .is-invalid, #event-outcome .failed').count()).toBe(0);
    }
    expect(ofData(requests.slice(asked))).toEqual([]);
  });

  test('cannot be checked with a file that is not a proof', async () => {
    const { page } = await opened(siteOf());
    for (const proof of [
      '',
      'hello',
      'c2sp.org/tlog-proof@v1\nindex 0\n\nno checkpoint\n',
      'x'.repeat(3_000_000),
    ]) {
      await page.setInputFiles('#proof', { name: 'p', mimeType: 'text/plain', buffer: Buffer.from(proof) });
      const { title, steps } = await proveEvent(page, hashOf(300));
      expect(title).toBe('This cannot be checked: see the step that says why');
      expect(steps.Proof).toMatch(/^Cannot be checked: .*the proof/s);
    }
  });

  test('with markup stays text', async () => {
    const { page } = await opened(siteOf());
    const { steps } = await proveEvent(page, '<img src=x onerror=alert(1)>');
    expect(steps.Row).toContain('<img src=x');
    expect(await page.locator('#event-outcome img').count()).toBe(0);
  });
});

describe('a row', () => {
  const { leaves } = fixtureLedger();
  const site = publicSite(leaves);
  const ROW_STEPS = ['Keys', 'Row', 'History', 'Event', 'Leaf', 'Tiles', 'Checkpoint', 'Signatures'];
  const index = leaves.findIndex(({ event }) => event.type === 'mic_mint');
  const mint = micHistory.rows(leaves[index]!)[0]!.trim();
  const [timestamp, , , amount] = mint.split(',') as [string, string, string, string];

  test('of a public file is followed to the signatures, and its event is shown', async () => {
    const { page, wrong } = await opened(site);
    const { title, steps } = await proveEvent(page, `${mint}\r\n`);
    expect(title).toBe(`Proved: this row of /economy/mic-history.csv is event ${index} of the ledger’s log`);
    expect(Object.keys(steps)).toEqual(ROW_STEPS);
    for (const step of Object.values(steps)) expect(step).toMatch(/^Holds/);
    const shown = page.locator('#event-outcome .apart');
    expect(await shown.textContent()).toMatch(new RegExp(`MIC mint.*${amount}`));
    await shown.locator('summary').click();
    const line = formatEventLine(leaves[index]!.event);
    expect(await shown.locator('pre').textContent()).toBe(line);
    const link = shown.getByRole('link', { name: 'Save the proof' });
    const { name, buffer } = await saved(page, link);
    expect(name).toBe(`event-${index}.tlog-proof`);
    const proof = `${buffer}`;
    await verifyProof(proof, leafHash(Buffer.from(line)), [LEDGER.verifier], 'the saved proof');
    expect(wrong).toEqual([]);
  });

  test('of a file is compared with the log, together with all others of the file', async () => {
    const { page, served, wrong } = await opened(site);
    const all = leaves.toReversed().flatMap((leaf) => micHistory.rows(leaf));
    const compare = async (rows: readonly string[]) => {
      const buffer = Buffer.from([micHistory.head(), ...rows].join(''));
      await page.setInputFiles('#file', { name: 'mic-history.csv', mimeType: 'text/csv', buffer });
      await outcome(page, 'file');
      await page.click('#compare-rows');
      return outcome(page, 'rows');
    };
    const good = await compare(all);
    expect(good.title).toBe(
      'Proved: every row of /economy/mic-history.csv follows from the log, in order, and none is missing',
    );
    expect(good.steps.Log).toMatch(/^Holds: Compared with ledger.example.org/);
    expect(wrong).toEqual([]);
    const bad = await compare(all.with(-1, `${mint.replace(amount, '999.000000')}\n`));
    expect(bad.title).toBe('mic-history.csv does not hold: 1 finding');
    expect(bad.steps.Rows).toMatch(/^Does not hold: .*mic-history.csv:\d+.*differs.*999.000000/s);
    const open = await compare([]);
    expect(open.title).toMatch(/cannot be checked whole|does not hold/);
    await page.fill('#policy', policyOf([one, two]));
    served.site = cosignedSite(site, [one, two]);
    const seen = await compare(all);
    expect([seen.title, seen.steps.Witnesses]).toEqual([
      good.title,
      'Holds: 2 of 2 witnesses of the policy signed this checkpoint, the oldest 5 minutes ago.',
    ]);
    served.site = cosignedSite(site, [two]);
    const unseen = await compare(all);
    expect(unseen.title).toBe(
      `${good.title}. But that may not be the log that others see: see “Witnesses” below`,
    );
    expect(unseen.steps.Witnesses).toMatch(/^Does not hold: .*1: by W1; none by W0.*witness_quorum/s);
    expect(unseen.steps.Rows).toMatch(/^Holds/);
  });

  test('has an address that proves it again, and so has an event', async () => {
    const { page } = await opened(site);
    await proveEvent(page, mint);
    const share = page.locator('#event-outcome a[href*="#row="]');
    const href = (await share.getAttribute('href'))!;
    for (const [address, pasted] of [
      [href, mint],
      [`/verification/?event=${index}#event`, `${index}`],
    ] as const) {
      await page.goto('about:blank');
      await page.goto(host.origin + address);
      await page.locator('#event-outcome h4').waitFor();
      expect(await page.inputValue('#event')).toBe(pasted);
    }
  });

  test.each<[what: string, row: string, verdict: string, step: string, says: RegExp, on: Site]>([
    [
      'that was changed does not hold',
      mint.replace(amount, '999.000000'),
      'This row does not hold: the log says otherwise',
      'Event',
      new RegExp(`^Does not hold: Event ${index}.*column amount.*${amount}.*999.000000`, 's'),
      site,
    ],
    [
      'later than the checkpoint cannot be checked',
      mint.replace(timestamp, '2027-01-01T00:00:00Z'),
      'This row cannot be checked: see the step that says why',
      'Event',
      /^Cannot be checked: .*later than the newest public event/,
      site,
    ],
    [
      'is not called false where a bundle ends early',
      mint,
      'The proof does not hold: this host contradicts what was signed. That says nothing about the row',
      'Event',
      /^Does not hold: .*log_invalid/s,
      new Map(
        [...site].map(([path, bytes]) => [path, path.startsWith('log/public/v') ? bytes.subarray(9) : bytes]),
      ),
    ],
    [
      'cannot be checked on a host without public events',
      mint,
      'This row cannot be checked: see the step that says why',
      'Event',
      /^Cannot be checked: This host publishes no events/,
      siteOf(),
    ],
  ])('%s', async (_, row, verdict, step, says, on) => {
    const { page } = await opened(on);
    const { title, steps } = await proveEvent(page, row);
    expect(title).toBe(verdict);
    expect(steps[step]).toMatch(says);
    const isOpen = verdict.includes('cannot be checked');
    expect(await page.locator('#event-outcome .is-invalid, #event-outcome .failed').count()).toBe(
      isOpen ? 0 : 2,
    );
  });
});

describe('the page', () => {
  test.each([
    { viewport: { width: 1280, height: 900 }, colorScheme: 'light' as const },
    { viewport: { width: 320, height: 640 }, colorScheme: 'dark' as const },
  ])('is accessible with verdicts in it, at $viewport.width px', async (reader) => {
    const { page } = await opened(siteOf(), { ...reader, now: Date.UTC(2026, 0, 1) });
    await verifyRelease(page);
    await identify(page, 'supply', Buffer.from('{}'));
    await proveEvent(page, event(256));
    expect(await violations(page)).toEqual([]);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(reader.viewport.width);
  });

  test('prints the keys behind a verdict', async () => {
    const { page } = await opened(siteOf());
    const shown = async () => {
      await page.emulateMedia({ media: 'print' });
      const ids = ['#publisher-key', '#release-form', '#release-outcome'];
      const visible = await Promise.all(ids.map((id) => page.locator(id).isVisible()));
      await page.emulateMedia({ media: 'screen' });
      return visible;
    };
    expect(await shown()).toEqual([false, false, false]);
    await verifyRelease(page);
    expect(await shown()).toEqual([true, false, true]);
  });

  test('stops on request even if the host does not answer, and works afterwards', async () => {
    const { page } = await opened(siteOf());
    const held = Promise.withResolvers<void>();
    await page.route('**/log/tile/0/000', async (route) => {
      await held.promise;
      await route.fallback();
    });
    await page.fill('#event', hashOf(0));
    await page.click('#event-form button[type="submit"]');
    await page.getByText('Searching the log').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    expect((await outcome(page, 'event')).title).toBe('Stopped before anything was found');
    held.resolve();
    expect((await proveEvent(page, hashOf(0))).title).toBe('Event 0 is in the ledger’s log');
  });

  test('works with the keyboard alone, and verdicts are announced', async () => {
    const { page } = await opened(siteOf());
    await page.focus('#policy');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const { title } = await outcome(page, 'release');
    expect(title).toContain('This release is what');
    expect(await page.locator('#release-outcome ol[aria-live="polite"]').count()).toBe(1);
    expect(await page.getByRole('status').filter({ hasText: 'This release is what' }).count()).toBe(1);
  });

  test('explains itself and shows the commands without scripts', async () => {
    const { page } = await visit(browser, `${host.origin}/verification/`, { javaScriptEnabled: false });
    onTestFinished(() => page.context().close());
    expect(await page.locator('#release-form').isVisible()).toBe(false);
    const text = (await page.textContent('main'))!;
    for (const words of [
      'cathedral verify https://data.example.org',
      'openssl pkeyutl -verify',
      'needs JavaScript',
    ])
      expect(text).toContain(words);
  });
});
