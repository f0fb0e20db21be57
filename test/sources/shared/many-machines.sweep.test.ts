import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ledgerSource } from '../../../pipeline/config/ledger-address.ts';
import { checkLedger } from '../../../pipeline/ledger/check/check-ledger.ts';
import { LedgerFindings } from '../../../pipeline/ledger/check/findings.ts';
import { formatVerifierKey } from '../../../pipeline/ledger/notes/note.ts';
import { readVerifiers } from '../../../pipeline/ledger/reading/ledger-verifiers.ts';
import { Random } from '../../../pipeline/random.ts';
import type { SourceConfig } from '../../../pipeline/sources/import-source.ts';
import { openLedger } from '../../../pipeline/sources/open-ledger.ts';
import { Progress } from '../../../src/commands/progress.ts';
import { followLedger } from '../../../src/sidecar/live/follow-ledger.ts';
import { runHere } from '../../contract/commands/seam.ts';
import { InProcessStore } from '../../engines/in-process-store.ts';
import { CREDENTIALS } from '../../engines/object-store.ts';
import { hasPostgres, PostgresServer } from '../../engines/postgres.ts';
import { signer } from '../../ledger/test-signer.ts';
import { meanwhile } from '../../meanwhile.ts';
import { isSweep } from '../../setups/sweep.ts';
import { eventsOf, filesOf, Machines, newFolder } from './cluster.ts';

let server: PostgresServer;
let objects: InProcessStore;
let buckets = 0;

/** What a machine is told by its settings. */
type MachineConfig = Parameters<typeof followLedger>[1] & SourceConfig;

function machine(store: string, releases: string, more: Partial<MachineConfig> = {}, now = Date.now) {
  const notes: string[] = [];
  const lines = { write: (line: string) => notes.push(line) };
  const config: MachineConfig = {
    ledgerKey: null,
    ledgerSigningKey: null,
    importFolder: newFolder(),
    importKey: `${newFolder()}.import.key`,
    mapping: null,
    wait: 600,
    companions: null,
    store,
    releases,
    accessKeyId: CREDENTIALS.accessKeyId,
    secretAccessKey: CREDENTIALS.secretAccessKey,
    sessionToken: null,
    ...more,
  };
  const context = { now, progress: new Progress(lines, now) } as Parameters<typeof openLedger>[2];
  return { config, context, notes };
}

async function newBucket(): Promise<string> {
  buckets += 1;
  objects.buckets.add(`bucket${buckets}`);
  return `s3+${objects.endpoint}/bucket${buckets}`;
}

/** Without the index of rows. */
function ledgerIn(folder: string) {
  const { 'rows-import.db': _, ...files } = filesOf(folder);
  return files;
}

async function until(what: () => boolean): Promise<void> {
  for (let waited = 0; !what(); waited += 20) {
    if (waited > 60_000) throw new Error(`still not: ${what}`);
    await sleep(20);
  }
}

describe.skipIf(!hasPostgres)('many machines', () => {
  beforeAll(async () => {
    server = await PostgresServer.start();
    objects = await InProcessStore.start();
  });

  afterAll(async () => {
    await objects?.stop();
    server?.stop();
  });

  test('have the ledger of one of them, whatever happens to notifications and connections', async () => {
    const store = await server.newDatabase();
    const releases = await newBucket();
    const all = await Machines.start(store);
    const ending = new AbortController();
    onTestFinished(() => ending.abort());
    writeFileSync(`${all.folder}.vkey`, `${formatVerifierKey(signer.verifier)}\n`);
    await all.append(3);
    const owner = machine(store, releases);
    const source = ledgerSource.parse(all.folder);
    const shared = await followLedger(source, owner.config, owner.context, ending.signal);
    const faults = () => [shared, followed].map(({ sharing }) => sharing!());
    const other = machine(store, releases, { ledgerKey: `${all.folder}.vkey` });
    const { importFolder } = other.config;
    const followed = await followLedger({ kind: 'store' }, other.config, other.context, ending.signal);
    expect(followed.ledger).toBe(importFolder);
    const isSame = () => {
      try {
        return JSON.stringify(filesOf(importFolder)) === JSON.stringify(filesOf(all.folder));
      } catch (error) {
        // Another thread has renamed a file since it was listed, or there is no folder yet.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
        throw error;
      }
    };
    await until(isSame);
    await all.append(80);
    await all.seal();
    await until(isSame);
    const listeners = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE ANY ('{%LISTEN%,%NOTIFY%}')`;
    for (let turn = 0; turn < 3; turn += 1) {
      await server.sql(listeners);
      await all.append(2);
      await until(isSame);
    }
    server.pause();
    await all.append(70);
    await all.seal();
    await expect
      .poll(faults)
      .toEqual([
        'the ledger is not shared: store_failed',
        'the ledger is not taken from the others: store_failed',
      ]);
    server.resume();
    await until(isSame);
    await until(() => other.notes.at(-1)!.includes('taken from the others again'));
    await until(() => faults().every((fault) => fault === null));
    const said = other.notes.map((note) => note.slice(note.indexOf(' ')));
    expect(said.filter((note, at) => note === said[at - 1])).toEqual([]);
    // A run takes the same way, once.
    const third = machine(store, releases, { ledgerKey: `${all.folder}.vkey` });
    const { ledger } = await openLedger({ kind: 'store' }, third.config, third.context);
    expect(filesOf(ledger)).toEqual(filesOf(all.folder));
    const check = ['--ledger', 'store:', '--import-folder', ledger, '--ledger-key', `${all.folder}.vkey`];
    expect((await runHere('ledger check', check)).stdout).toMatch(
      `${all.writer.end.size - all.writer.sealed.size} in the head`,
    );
    expect((await runHere('ledger append', ['--ledger', 'store:'])).stderr).toMatch(
      /expected a ledger in a folder, found store:/,
    );
    // Nobody writes a replica.
    for (const command of ['ledger append', 'ledger seal', 'ledger rotate']) {
      const { stderr } = await runHere(command, ['--ledger', ledger]);
      expect(stderr).toMatch(/a replica of a ledger that another machine writes and shares/);
    }
    await expect(
      openLedger({ kind: 'store' }, { ...third.config, releases: null }, third.context),
    ).rejects.toMatchObject({ code: 'config_invalid', found: 'no CATHEDRAL_RELEASES' });
  });

  test('lose nothing when those who share and those who follow are killed again and again', async () => {
    const store = await server.newDatabase();
    const releases = await newBucket();
    const all = await Machines.start(store);
    const replica = newFolder();
    const random = new Random('kills');
    const script = join(import.meta.dirname, 'share-child.ts');
    await all.append(1);
    const kill = async (does: string, folder: string) => {
      const child = spawn(process.execPath, [script, does, folder, store, releases], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      const ended = Promise.all([once(child, 'exit'), text(child.stderr)]);
      await Promise.race([once(child.stdout, 'data'), ended]);
      await sleep(random.whole(20, 250));
      child.kill('SIGKILL');
      const [[, signal], said] = await ended;
      expect(signal, `${does} has failed by itself: ${said}`).toBe('SIGKILL');
      if (does === 'follow') await eventsOf(folder);
    };
    const TURNS = isSweep ? 10 : 2;
    const writing = async (isOver: () => boolean) => {
      for (; !isOver(); await sleep(random.whole(1, 40))) {
        await all.append(random.whole(1, 9));
        if (random.chance(0.2)) await all.seal();
      }
    };
    let shares = 0;
    const sharing = async (isOver: () => boolean) => {
      for (; shares < TURNS && !isOver(); shares += 1) await kill('share', all.folder);
    };
    await meanwhile(
      async (isOver) => {
        await until(() => isOver() || objects.calls.some(({ bucket }) => releases.endsWith(bucket)));
        for (let turn = 0; turn < TURNS && !isOver(); turn += 1) await kill('follow', replica);
        while (shares < TURNS && !isOver()) await sleep(20);
      },
      writing,
      sharing,
    );
    const last = machine(store, releases, { ledgerKey: `${all.folder}.vkey`, importFolder: replica });
    writeFileSync(`${all.folder}.vkey`, `${formatVerifierKey(signer.verifier)}\n`);
    await openLedger(ledgerSource.parse(all.folder), last.config, last.context);
    await openLedger({ kind: 'store' }, last.config, last.context);
    expect(filesOf(replica)).toEqual(filesOf(all.folder));
    expect(await eventsOf(replica)).toHaveLength(all.writer.end.size);
  });

  test('import one table in turn: no event twice, none lost, whoever fails', async () => {
    const store = await server.newDatabase();
    const releases = await newBucket();
    await server.sql(
      `CREATE TABLE votes (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, timestamp timestamptz NOT NULL, type text NOT NULL DEFAULT 'heartbeat', agent text NOT NULL DEFAULT 'ATLAS', data jsonb NOT NULL DEFAULT '{}')`,
    );
    let rows = 0;
    // One row a minute, and a clock that goes with them.
    const begin = Date.parse('2026-10-01T00:00:00Z');
    const now = () => begin + (rows + 1) * 60_000;
    const insert = async (count: number) => {
      await server.sql(
        `INSERT INTO votes (timestamp) SELECT '2026-10-01T00:00:00Z'::timestamptz + (${rows} + n) * interval '1 minute' FROM generate_series(1, ${count}) n`,
      );
      rows += count;
    };
    const source = ledgerSource.parse(server.address('table=votes'));
    const one = machine(store, releases, {}, now);
    await insert(500);
    await openLedger(source, one.config, one.context);
    const two = machine(store, releases, {}, now);
    await expect(openLedger(source, two.config, two.context)).rejects.toMatchObject({
      code: 'config_invalid',
      found: 'no file',
    });
    await mkdir(dirname(two.config.importKey), { recursive: true });
    writeFileSync(two.config.importKey, `${'ab'.repeat(32)}\n`);
    await expect(openLedger(source, two.config, two.context)).rejects.toMatchObject({
      code: 'config_invalid',
      place: '--import-key',
    });
    copyFileSync(one.config.importKey, two.config.importKey);
    await insert(500);
    const folders = [one, two].map(({ config }) => config.importFolder);
    // Both at the same time, again and again.
    for (let turn = 0; turn < 4; turn += 1) {
      await insert(100);
      await Promise.all([one, two].map(({ config, context }) => openLedger(source, config, context)));
    }
    // One imports and fails before it has shared that.
    objects.plan = (call) => (call.method === 'PUT' ? { status: 403, code: 'AccessDenied' } : null);
    await insert(700);
    await expect(openLedger(source, one.config, one.context)).rejects.toMatchObject({ code: 'store_failed' });
    objects.plan = () => null;
    // A row is changed before the other one imports it, so what the first one has sealed contradicts what is shared.
    await server.sql(`UPDATE votes SET agent = 'ZEUS' WHERE id = 1500`);
    await insert(10);
    await openLedger(source, two.config, two.context);
    await insert(10);
    await openLedger(source, one.config, one.context);
    expect(one.notes.join('')).toMatch(/those of this machine alone are removed/);
    expect(two.notes.join('')).not.toContain('of this machine alone');
    await openLedger(source, two.config, two.context);
    expect(ledgerIn(folders[0]!)).toEqual(ledgerIn(folders[1]!));
    for (const folder of folders) {
      const findings = new LedgerFindings();
      const verifiers = await readVerifiers(`${folder}.vkey`);
      const ids: string[] = [];
      const batches = checkLedger(folder, { verifiers, findings, now: now() });
      for await (const leaves of batches)
        for (const { event } of leaves) {
          const { row } = (event.data.source ?? {}) as { row?: string };
          if (row !== undefined) ids.push(row);
        }
      expect(findings.listed.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(ids).toEqual(Array.from({ length: rows }, (_, n) => `${n + 1}`));
    }
    // Without the store, this machine would import what nobody else has.
    await expect(openLedger(source, { ...one.config, store: 'var' }, one.context)).rejects.toMatchObject({
      code: 'config_invalid',
    });
    expect(readFileSync(`${folders[0]}.vkey`, 'utf8')).toBe(readFileSync(`${folders[1]}.vkey`, 'utf8'));
  });
});
