import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatCheckpoint } from '../../pipeline/ledger/checkpoint.ts';
import { cosign, cosigningKeyOf } from '../../pipeline/ledger/cosigning-key.ts';
import { signNote } from '../../pipeline/ledger/note.ts';
import { signer } from '../ledger/test-signer.ts';
import { useBrowser } from '../setups/use-browser.ts';
import { type Built, buildFixture, CHECKPOINTS } from './build-fixture.ts';
import { openHost } from './explore-host.ts';
import { violations, visit } from './visit.ts';

const WITNESSED = Date.UTC(2026, 8, 30, 18, 5) / 1000;

let built: Built;
const browser = useBrowser();

beforeAll(async () => {
  built = await buildFixture();
});

afterAll(async () => {});

test('the page about the log lists the checkpoints, and says who signed which', async () => {
  await using host = await openHost(built.out);
  const notes = new Map<string, string>();
  await using visited = await visit(browser, 'about:blank');
  const { page } = visited;
  await page.route(/\/log\/(checkpoint|cosigned\/\d+)$/, (route) => {
    const body = notes.get(new URL(route.request().url()).pathname);
    return route.fulfill(body ? { body, contentType: 'text/plain' } : { status: 404 });
  });
  await page.goto(`${host.origin}/verification/log/`);
  // The host of these pages has no log.
  await page.getByText('The note cannot be read: this host has no /log/checkpoint.').waitFor();
  const rows = page.locator('tr[data-size]');
  const sizes = await rows.evaluateAll((all) => all.map((row) => (row as HTMLElement).dataset.size));
  expect(sizes).toEqual(['1000', '990', '980']);
  const added = await page.locator('tr[data-size] td.number:nth-of-type(2)').allTextContents();
  expect(added).toEqual(['10', '10', '–']);

  const [one, other] = ['witness.example/one', 'witness.example/other'].map((name, at) =>
    cosigningKeyOf(name, new Uint8Array(32).fill(at + 1)),
  );
  const cosigned = (at: number, ...keys: (typeof one)[]) => {
    const text = formatCheckpoint(CHECKPOINTS[at]!);
    return signNote(text, signer) + keys.map((key) => cosign(key!, text, WITNESSED)).join('');
  };
  notes.set('/log/checkpoint', cosigned(0, one, other));
  notes.set(`/log/cosigned/${sizes[0]}`, cosigned(0, one, other));
  notes.set(`/log/cosigned/${sizes[1]}`, cosigned(1, other));
  await page.reload();
  await page.getByText('2 witnesses signed it.').waitFor();
  await expect.poll(() => rows.nth(2).locator('[data-witnesses]').textContent()).toBe('none');
  const column = await page.locator('td[data-witnesses]').allTextContents();
  expect(column.slice(0, 2)).toEqual([
    'witness.example/one and witness.example/other',
    'witness.example/other',
  ]);
  const lines = await page.locator('#signers-list li').allTextContents();
  expect(lines).toHaveLength(3);
  expect(lines[1]).toMatch(
    /^witness\.example\/one \(key [0-9a-f]{8}\), witness, 30 September 2026, 18:05 UTC$/,
  );
  expect(await violations(page)).toEqual([]);
});
