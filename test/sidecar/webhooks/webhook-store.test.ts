import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sqliteWebhooks } from '../../../src/sidecar/webhooks/webhook-databases.ts';
import { WebhookStore } from '../../../src/sidecar/webhooks/webhook-store.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { describeWebhookStore, newWebhook } from './webhook-store-contract.ts';

function open(path: string): WebhookStore {
  const store = new WebhookStore(sqliteWebhooks(path));
  onTestFinished(() => store.close());
  return store;
}

async function newPath(): Promise<string> {
  return join(await temporaryFolder(), 'private', 'webhooks.db');
}

describeWebhookStore('sqlite', async () => {
  const path = await newPath();
  return [open(path), open(path), open(path)];
});

test('the file with the secrets can be read by its owner alone, and is refused if it is something else', async () => {
  const path = await newPath();
  await open(path).add(newWebhook('w_1'), ['k_a'], 5);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(() => sqliteWebhooks(import.meta.filename)).toThrow(/not a database/);
});
