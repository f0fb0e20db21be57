import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { formatVerifierKey, parseVerifierKey, signNote } from '../../pipeline/ledger/notes/note.ts';
import { formatNoteKeys, signerOf } from '../../pipeline/ledger/notes/note-keys.ts';
import { openNote } from '../../pipeline/ledger/notes/open-note.ts';
import { openObjectStore } from '../../pipeline/objects/object-store.ts';
import { openDatabase } from '../../pipeline/postgres/database.ts';
import { openLogIn } from '../../src/sidecar/access-log/access-log.ts';
import { readLog } from '../../src/sidecar/access-log/log-reader.ts';
import { signAccessLogHead } from '../../src/sidecar/access-log/signed-heads.ts';
import { RunningCli, runHere } from '../contract/commands/seam.ts';
import { InProcessStore } from '../engines/in-process-store.ts';
import { CREDENTIALS } from '../engines/object-store.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { useStore } from '../setups/use-store.ts';
import { START, sampleAccess } from '../sidecar/access-log/sample-access.ts';

const postgres = useStore();

const BASE_URL = 'https://data.example.org';
const KEY = { name: 'data.example.org', seed: new Uint8Array(32).fill(5), made: '2025-01-01T00:00:00Z' };

describe.skipIf(postgres.isMissing)('the access log of a database', () => {
  let bucket: InProcessStore;
  let env: Record<string, string>;
  let address: string;

  async function connect(address: string) {
    const database = await openDatabase(address, { application: 'test', connections: 2, timeoutMs: 10_000 });
    onTestFinished(() => database.close());
    return database;
  }

  /** Twelve entries; the publisher signed the tenth. */
  beforeAll(async () => {
    [address, bucket] = await Promise.all([postgres.newDatabase(), InProcessStore.start()]);
    env = {
      CATHEDRAL_STORE: address,
      CATHEDRAL_RELEASES: bucket.bucket(),
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      CATHEDRAL_MIRROR_KEY: formatVerifierKey(signerOf(KEY).verifier),
    };
    const shared = await openDatabase(address, { application: 'test', connections: 2, timeoutMs: 10_000 });
    const store = await openObjectStore(env.CATHEDRAL_RELEASES!, CREDENTIALS, {
      software: 'test',
      access: 'write',
    });
    const log = openLogIn(shared);
    for (let at = 0; at < 12; at += 1) {
      await log.append(sampleAccess(at));
      if (at !== 9) continue;
      await signAccessLogHead({
        log: readLog(shared),
        store,
        service: BASE_URL,
        signText: (text) => signNote(text, signerOf(KEY)),
        now: START,
      });
    }
    await Promise.all([log.close(), shared.close()]);
    store.close();
  });
  afterAll(() => {
    bucket?.stop();
  });

  test('is exported, and verified with the heads that the publisher signed', async () => {
    const exported = await runHere('access-log export', ['--format', 'json'], { env });
    expect(exported.status).toBe(0);
    expect(JSON.parse(exported.stdout)).toMatchObject({
      count: 12,
      complete: true,
      entries: { 11: { seq: 11 } },
    });
    const verified = await runHere('access-log verify', [], { env });
    expect(verified).toMatchObject({ status: 0 });
    expect(verified.stdout).toMatch(
      /^The log is complete: 12 entries.*\nIt was compared with 1 signed head\.\n$/,
    );
  });

  test('is verified with the keys of the publisher, where they are, and not without keys', async () => {
    const keyFile = join(await temporaryFolder(), 'publisher.key');
    const { CATHEDRAL_MIRROR_KEY: _, ...others } = env;
    const withoutKey = { ...others, CATHEDRAL_PUBLISHER_KEY: keyFile };
    const refused = await runHere('access-log verify', [], { env: withoutKey });
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain('config_invalid');
    await writeFile(keyFile, formatNoteKeys([KEY]), { mode: 0o600 });
    const verified = await runHere('access-log verify', ['--json'], { env: withoutKey });
    expect(JSON.parse(verified.stdout)).toMatchObject({ faults: [], entries: 12, signed_heads: 1 });
  });

  test('shows what whoever controls the database cut off, and is not taken for one that expired', async () => {
    const guarded = (sql: string) => postgres.sql(address, `SET session_replication_role = replica; ${sql}`);
    await guarded(`CREATE TABLE aside AS SELECT * FROM cathedral.access_log_entries WHERE seq >= 7;
      DELETE FROM cathedral.access_log_entries WHERE seq >= 7;
      UPDATE cathedral.access_log_head SET (seq, hash) =
        (SELECT seq, hash FROM cathedral.access_log_entries WHERE seq = 6)`);
    const { CATHEDRAL_RELEASES: _, ...alone } = env;
    expect(await runHere('access-log verify', [], { env: alone })).toMatchObject({ status: 0 });
    const verified = await runHere('access-log verify', [], { env });
    expect(verified.status).toBe(1);
    expect(verified.stdout).toMatch(
      /^access-log\/heads\/000000000009-[0-9a-f]{16}\.note, entry 9: signed_head_differs/,
    );
    await guarded(`INSERT INTO cathedral.access_log_entries SELECT * FROM aside; DROP TABLE aside;
      UPDATE cathedral.access_log_head SET (seq, hash) =
        (SELECT seq, hash FROM cathedral.access_log_entries WHERE seq = 11)`);
  });

  test('expires', async () => {
    const now = () => Date.parse('2026-02-03T04:05:06Z');
    const mistyped = await runHere('access-log expire', ['--before', '2062-12-01'], { env, now });
    expect(mistyped).toMatchObject({ status: 2, stdout: '' });
    expect(mistyped.stderr).toContain(
      '--before: expected a time that has passed, at 2026-02-03T04:05:06.000Z',
    );
    const expired = await runHere('access-log expire', ['--before', '2025-12-01T06:00:05Z'], { env, now });
    expect(expired).toMatchObject({ status: 0, stdout: 'Removed: entries 0 to 4.\n' });
    const verified = await runHere('access-log verify', [], { env });
    expect(verified).toMatchObject({ status: 0 });
    expect(verified.stdout).toContain(
      'entries from before 2025-12-01T06:00:05.000Z\nThe log is complete: 7 entries.',
    );
    await runHere('access-log expire', ['--before', '2025-12-01T06:00:11Z'], { env, now });
    expect((await runHere('access-log verify', [], { env })).stdout).toMatch(
      /\nThe log is complete: 1 entry\. .*\nIt was compared with no signed heads\. 1 more is of a removed entry\.\n$/,
    );
  });

  test('is signed by each run of a publisher, and by none after entries were cut off', async () => {
    const folder = await temporaryFolder();
    const [ledger, other] = [join(folder, 'ledger'), await postgres.newDatabase()];
    const { CATHEDRAL_MIRROR_KEY: _, ...others } = env;
    const shared = {
      ...others,
      CATHEDRAL_STORE: other,
      CATHEDRAL_RELEASES: bucket.bucket('published'),
      CATHEDRAL_PUBLISHER_KEY: join(folder, 'publisher.key'),
    };
    expect(await runHere('sample', ['--ledger', ledger, '--to', '2025-07-04', '--seed=7'])).toMatchObject({
      status: 0,
    });
    const build = () =>
      runHere('build', ['--ledger', ledger, '--out', join(folder, 'out'), '--without-site'], { env: shared });
    const log = openLogIn(await connect(other));
    for (let at = 0; at < 6; at += 1) await log.append(sampleAccess(at));
    expect(await build()).toMatchObject({ status: 0 });
    const verified = await runHere('access-log verify', [], { env: shared });
    expect(verified).toMatchObject({ status: 0 });
    expect(verified.stdout).toMatch(/6 entries.*\nIt was compared with 1 signed head\.\n$/);
    await postgres.sql(
      other,
      `SET session_replication_role = replica; DELETE FROM cathedral.access_log_entries WHERE seq > 3;
      UPDATE cathedral.access_log_head SET (seq, hash) =
        (SELECT seq, hash FROM cathedral.access_log_entries WHERE seq = 3)`,
    );
    const { status, stderr } = await build();
    expect([status, stderr]).toEqual([1, expect.stringContaining('(access_log_broken)')]);
  });
});

test('the access log of one machine is verified with the heads that its server signed, and a run publishes the key', async () => {
  const folder = await temporaryFolder();
  const [out, store, ledger] = ['out', 'store', 'ledger'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const env = {
    CATHEDRAL_OUT: out,
    CATHEDRAL_STORE: store,
    CATHEDRAL_LEDGER: ledger,
    CATHEDRAL_BASE_URL: BASE_URL,
  };
  const run = (name: string, ...args: string[]) => runHere(name, args, { env });
  expect(await run('sample', '--ledger', ledger, '--to', '2025-07-03T06:00:00Z')).toMatchObject({
    status: 0,
  });
  const publish = () => run('build', '--without-site', '--publisher-key', join(folder, 'publisher.key'));
  expect(await publish()).toMatchObject({ status: 0 });
  const server = new RunningCli(['serve', '--out', out, '--port', '0'], {
    ...env,
    CATHEDRAL_LOG_LEVEL: 'info',
  });
  const [, url] = await server.printed(/at (http:\/\/\S+)/);
  expect((await fetch(`${url}/government/compliance-report.json`)).status).toBe(401);
  expect((await fetch(`${url}/access-log.vkey`)).status).toBe(404);
  server.child.kill('SIGTERM');
  const { stderr } = await server.finished();
  // The owner of the server's log has the note as well.
  expect(stderr).toContain('"note":"cathedral-access-log-head/1\\nhttps://data.example.org\\n0\\n');
  const verified = await run('access-log verify');
  expect(verified).toMatchObject({ status: 0 });
  expect(verified.stdout).toMatch(/^The log is complete: 1 entry.*\nIt was compared with 1 signed head\.\n$/);
  // The key that readers find is that of the note, and belongs to the release like every other file.
  expect(await publish()).toMatchObject({ status: 0 });
  const published = await readFile(join(out, 'current/public/access-log.vkey'), 'utf8');
  const [head = ''] = await readdir(join(store, 'access-log/heads'));
  const note = await readFile(join(store, 'access-log/heads', head));
  expect(openNote(note, [parseVerifierKey(published.trim())], head).text).toContain('\n0\n');
  const key = ['--publisher-key', join(folder, 'publisher.key')];
  expect(await run('check', '--ledger', ledger, ...key)).toMatchObject({ status: 0 });
  expect(
    JSON.parse(
      (await run('build', '--without-site', '--json', '--publisher-key', join(folder, 'publisher.key')))
        .stdout,
    ),
  ).toMatchObject({ outcome: 'unchanged' });
});
