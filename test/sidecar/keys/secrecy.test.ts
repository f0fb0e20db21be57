import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pino from 'pino';
import { expect, test } from 'vitest';
import { authenticate } from '../../../src/sidecar/keys/authenticate.ts';
import { expiringKeys } from '../../../src/sidecar/keys/expiring-keys.ts';
import { formatKeysJson, formatKeyTable } from '../../../src/sidecar/keys/format-keys.ts';
import { issueKey } from '../../../src/sidecar/keys/issue-key.ts';
import { listKeys } from '../../../src/sidecar/keys/key-status.ts';
import { hashKey } from '../../../src/sidecar/keys/key-text.ts';
import { revokeKey } from '../../../src/sidecar/keys/revoke-key.ts';
import { rotateKey } from '../../../src/sidecar/keys/rotate-key.ts';
import { requestVerification, verifyEmail } from '../../../src/sidecar/keys/verify-email.ts';
import { ACADEMIC, codeIn, ECONOMIST, keyIn, NOW, type TinyOffice, tinyOffice } from './tiny-office.ts';

/** A life of keys; resolves to their texts and the code. */
async function live(office: TinyOffice): Promise<{ keys: string[]; code: string }> {
  const { key: printed, record } = await issueKey(ECONOMIST, office);
  const { key: rotated } = await rotateKey({ id: record.id, deliver: 'print' }, office);
  await revokeKey({ leaked: printed, reason: 'found in a repository' }, office);
  await requestVerification({ email: ACADEMIC.email }, office);
  const code = codeIn(office.mails[0]!);
  await verifyEmail({ email: ACADEMIC.email, code }, office);
  await issueKey({ ...ACADEMIC, days: '20' }, office);
  await expiringKeys({ within: '30', notify: true }, office);
  return { keys: [printed!, rotated!, keyIn(office.mails[1]!)], code };
}

/** What is secret of a key: its last 26 random characters, and each run of eight of them. */
function partsOf(key: string): string[] {
  const secret = key.split('_')[2]!.slice(4);
  return Array.from({ length: secret.length - 7 }, (_, start) => secret.slice(start, start + 8));
}

test('no part of a key or a code is in the files of the store', async () => {
  const office = await tinyOffice();
  const { keys, code } = await live(office);
  const folder = dirname(office.path);
  const names = await readdir(folder);
  expect(names).toEqual(['keys.sqlite']);
  const bytes = Buffer.concat(await Promise.all(names.map((name) => readFile(join(folder, name)))));
  // That the search finds what is there:
  for (const key of keys) {
    expect(bytes.includes(hashKey(key))).toBe(true);
    expect(bytes.includes(key.slice(0, 16))).toBe(true);
  }
  for (const part of [...keys.flatMap(partsOf), code, code.replaceAll('-', '')]) {
    expect(bytes.includes(part)).toBe(false);
  }
});

test('no part of a key is in lists, errors or the log of what went wrong', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const office = await tinyOffice();
  const { keys } = await live(office);
  const records = await listKeys({}, office);
  log.info({ table: formatKeyTable(records, NOW), json: formatKeysJson(records, NOW) });
  for (const key of keys) {
    const attempts = [
      () => issueKey({ ...ECONOMIST, purpose: key }, office),
      () => issueKey({ ...ECONOMIST, tier: key }, office),
      () => issueKey({ ...ECONOMIST, email: `x${key}` }, office),
      () => issueKey({ ...ECONOMIST, areas: key }, office),
      () => rotateKey({ id: key }, office),
      () => revokeKey({ id: key, reason: 'lost' }, office),
      () => revokeKey({ leaked: `${key}x`, reason: 'lost' }, office),
      () => revokeKey({ id: records[0]!.id, reason: `saw ${key}` }, office),
      () => verifyEmail({ email: ACADEMIC.email, code: key }, office),
    ];
    for (const attempt of attempts) {
      const [outcome] = await Promise.allSettled([attempt()]);
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'usage' } });
      log.error({ err: (outcome as PromiseRejectedResult).reason });
    }
    const rawHeaders = ['Authorization', `Bearer ${key}`];
    log.info(await authenticate(office.store, { rawHeaders, query: '' }, 'government', NOW));
    log.info(await authenticate(office.store, { rawHeaders, query: `x=${key}` }, 'economy', NOW));
  }
  expect(lines).toHaveLength(1 + keys.length * 11);
  const logged = lines.join('');
  for (const part of keys.flatMap(partsOf)) expect(logged).not.toContain(part);
});
