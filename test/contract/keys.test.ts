import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { smtpServer } from '../sidecar/keys/smtp-server.ts';
import { madeOnce } from '../site/made-once.ts';
import { command, openServer } from './http/seam.ts';

const DAY_MS = 86_400_000;
const BEGIN = Date.UTC(2026, 2, 2, 9);
const PAPERS = '/academics/papers.json';
const DECISIONS = '/philosophy/decisions.json';
const RETURNS = '/economy/sentinel-roi.json';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: BEGIN }));
afterEach(() => void vi.useRealTimers());

async function publish(): Promise<string> {
  const { out } = await madeOnce('own-release', async (folder) => {
    const ledger = ['--ledger', join(folder, 'ledger')];
    await command('sample', [...ledger, '--from', '2026-01-01', '--to', '2026-01-02', '--seed', '1']);
    const out = ['--out', join(folder, 'out'), '--publisher-key', join(folder, 'publisher.key')];
    await command('build', [...ledger, ...out, '--without-site']);
    return { out: join(folder, 'out') };
  });
  return out;
}

beforeAll(publish);

/** A service with a real mail server, which refuses mails to `away.example`. */
async function service() {
  const out = await publish();
  const { port, received } = await smtpServer({
    onRcptTo: ({ address }, _, done) =>
      done(address.endsWith('away.example') ? new Error('no such user') : null),
  });
  const folder = await temporaryFolder();
  const at = ['--store', folder];
  const server = await openServer([...at, '--out', out, '--log-level', 'error']);
  onTestFinished(() => server.close());
  const env = { SMTP_URL: `smtp://127.0.0.1:${port}`, CATHEDRAL_MAIL_FROM: 'Keys <keys@data.example.org>' };
  const keys = (words: string, ...args: string[]) =>
    command(`keys ${words}`, [...at, ...args], Date.now, env);
  const ask = async (path: string, key: string) => {
    const answer = await fetch(server.url + path, { headers: { authorization: `Bearer ${key}` } });
    const body = await answer.text();
    const code = answer.ok ? answer.headers.get('ratelimit') : (JSON.parse(body) as { code: string }).code;
    return [answer.status, code?.replace(/;t=.*/, '')];
  };
  return { keys, ask, received, folder };
}

const inMail = (message: string, pattern: RegExp) =>
  pattern.exec(message.replaceAll('=\n', '').replaceAll('=3D', '='))![0];
const keyIn = ({ message }: { message: string }) => inMail(message, /^cds_\w+$/m);
const EVE = ['--email', 'eve@university.example'];
const APPLICATION = '--name Reader --affiliation University --purpose Thesis --volume 9'.split(' ');

test('the life of an academic key: code, mail, quota, rotation, notice, end', async () => {
  const { keys, ask, received, folder } = await service();
  const issue = () => keys('issue', '--tier', 'academic', ...EVE, ...APPLICATION);
  await expect(issue()).rejects.toThrow('key_refused');

  // A code comes by mail, and works once.
  await keys('request-verification', ...EVE);
  expect(received.at(-1)!.to).toEqual(['eve@university.example']);
  const code = inMail(received.at(-1)!.message, /^\w{4}-\w{4}-\w{4}$/m);
  await expect(keys('verify-email', ...EVE, '--code', 'AAAA-AAAA-AAAA')).rejects.toThrow('key_refused');
  await keys('verify-email', ...EVE, '--code', code);
  await expect(keys('verify-email', ...EVE, '--code', code)).rejects.toThrow('key_refused');

  // The key comes by mail and is shown nowhere else.
  const printed = await issue();
  const first = keyIn(received.at(-1)!);
  const keyFiles = join(folder, 'keys');
  const stored = await readdir(keyFiles).then((names) =>
    Promise.all(names.map((name) => readFile(join(keyFiles, name), 'latin1'))),
  );
  expect(stored.length).toBeGreaterThan(0);
  expect([printed, await keys('list', '--json'), ...stored].join()).not.toContain(first);
  expect(await ask(PAPERS, first)).toEqual([200, '"daily";r=999']);
  expect(await ask(DECISIONS, first)).toEqual([200, '"daily";r=999']);
  expect(await ask(RETURNS, first)).toEqual([403, 'insufficient_scope']);

  // Rotation: another key for the same quota; the previous one works for 14 days.
  const [{ id }] = JSON.parse(await keys('list', '--json')) as [{ id: string }];
  await keys('rotate', '--key-id', id);
  const second = keyIn(received.at(-1)!);
  expect(second).not.toBe(first);
  expect(await ask(PAPERS, second)).toEqual([200, '"daily";r=998']);
  expect(await ask(PAPERS, first)).toEqual([200, '"daily";r=997']);
  vi.setSystemTime(BEGIN + 14 * DAY_MS - 1);
  expect(await ask(PAPERS, first)).toEqual([200, '"daily";r=999']);
  vi.setSystemTime(BEGIN + 14 * DAY_MS);
  expect(await ask(PAPERS, first)).toEqual([401, 'invalid_token']);
  expect(await ask(PAPERS, second)).toEqual([200, '"daily";r=998']);

  // One notice before the end, and the end to the millisecond.
  const mails = received.length;
  await keys('expiring', '--within', '30', '--notify');
  expect(received).toHaveLength(mails);
  vi.setSystemTime(BEGIN + 340 * DAY_MS);
  await keys('expiring', '--within', '30', '--notify');
  await keys('expiring', '--within', '30', '--notify');
  expect(received).toHaveLength(mails + 1);
  vi.setSystemTime(BEGIN + 365 * DAY_MS - 1);
  expect((await ask(PAPERS, second))[0]).toBe(200);
  vi.setSystemTime(BEGIN + 365 * DAY_MS);
  expect(await ask(PAPERS, second)).toEqual([401, 'invalid_token']);
});

test('a key that was revoked, found in public, or never delivered opens nothing', async () => {
  const { keys, ask, received } = await service();
  const economist = (email: string, ...more: string[]) =>
    keys('issue', '--tier', 'economist', '--email', email, ...APPLICATION, '--basis', 'staff page', ...more);
  const { id, key } = JSON.parse(
    await economist('ada@institute.example', '--deliver', 'print', '--json'),
  ) as Record<string, string>;
  expect(await ask(RETURNS, key!)).toEqual([200, '"daily";r=1999']);
  await keys('revoke', '--key-id', id!, '--reason', 'left');
  expect(await ask(RETURNS, key!)).toEqual([401, 'invalid_token']);
  await expect(keys('rotate', '--key-id', id!, '--deliver', 'print')).rejects.toThrow('key_refused');

  await economist('bob@institute.example');
  const leaked = keyIn(received.at(-1)!);
  expect((await ask(RETURNS, leaked))[0]).toBe(200);
  await keys('revoke', '--leaked', leaked, '--reason', 'found in a repository');
  expect(await ask(RETURNS, leaked)).toEqual([401, 'invalid_token']);

  await expect(economist('cy@away.example')).rejects.toThrow('mail_failed');
  const listed = JSON.parse(await keys('list', '--json')) as { status: string }[];
  expect(listed.map(({ status }) => status)).toEqual(['revoked', 'revoked', 'revoked']);
});

test('a code allows five attempts, and an address three codes a day', async () => {
  const { keys, received } = await service();
  const verify = (code: string) => keys('verify-email', ...EVE, '--code', code);
  await keys('request-verification', ...EVE);
  const code = inMail(received.at(-1)!.message, /^\w{4}-\w{4}-\w{4}$/m);
  for (let attempt = 0; attempt < 5; attempt += 1)
    await expect(verify('AAAA-AAAA-AAAA')).rejects.toThrow('key_refused');
  await expect(verify(code)).rejects.toThrow('key_refused');
  await keys('request-verification', ...EVE);
  await keys('request-verification', ...EVE);
  await expect(keys('request-verification', ...EVE)).rejects.toThrow('key_refused');
  vi.setSystemTime(BEGIN + DAY_MS + 1);
  await keys('request-verification', ...EVE);
  const last = inMail(received.at(-1)!.message, /^\w{4}-\w{4}-\w{4}$/m);
  vi.setSystemTime(BEGIN + 2 * DAY_MS + 1);
  await expect(verify(last)).rejects.toThrow('key_refused');
});
