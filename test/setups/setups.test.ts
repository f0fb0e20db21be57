import { describe, expect, test } from 'vitest';
import { useBrowser } from './use-browser.ts';
import { useObjects } from './use-objects.ts';
import { useStore } from './use-store.ts';

const store = useStore();
const objects = useObjects();
const browser = useBrowser();

describe.skipIf(store.isMissing)('the PostgreSQL of a run', () => {
  test('gives a new database with the schema, and one without', async () => {
    const [made, other, empty] = [
      await store.newDatabase(),
      await store.newDatabase(),
      await store.newDatabase('nothing'),
    ];
    await store.sql(
      made,
      "INSERT INTO cathedral.ledger_snapshots SELECT 'a', 0, '', '{}', NULL, '', 0, '', 0",
    );
    const count = 'SELECT count(*)::int AS n FROM cathedral.ledger_snapshots';
    expect(await store.sql(made, count)).toEqual([{ n: 1 }]);
    expect(await store.sql(other, count)).toEqual([{ n: 0 }]);
    await expect(store.sql(empty, count)).rejects.toThrow('does not exist');
  });
});

test.skipIf(objects.isMissing)('the object store of a run gives new buckets', async () => {
  const [one, other] = [await objects.newBucket(), await objects.newBucket()];
  expect(one).toMatch(/^s3\+http:\/\/127\.0\.0\.1:\d+\/test-/);
  expect(other).not.toBe(one);
});

test('the browser of a run shows a page', async () => {
  const page = await browser.newPage();
  await page.goto('data:text/html,<title>found</title>');
  expect(await page.title()).toBe('found');
});
