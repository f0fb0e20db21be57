import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { CathedralError } from '../../../pipeline/errors.ts';
import { LEDGER_START } from '../../../pipeline/ledger/log/leaf.ts';
import { signerFromSeed } from '../../../pipeline/ledger/notes/signer-from-seed.ts';
import { IMPORT_INDEX } from '../../../pipeline/ledger/reading/directory.ts';
import { emptyState } from '../../../pipeline/model/empty-state.ts';
import { Random } from '../../../pipeline/random.ts';
import { SharedFolder } from '../../../pipeline/sources/shared/open-shared.ts';
import { SharedLedger } from '../../../pipeline/sources/shared/shared-ledger.ts';
import { LedgerFold } from '../../../src/sidecar/live/ledger-fold.ts';
import { effects } from '../../faults/effects.ts';
import { patchFs } from '../../faults/patch-fs.ts';
import { nthOf } from '../../faults/sweep.ts';
import { signer } from '../../ledger/test-signer.ts';
import { meanwhile } from '../../meanwhile.ts';
import { isSweep } from '../../setups/sweep.ts';
import { useStore } from '../../setups/use-store.ts';
import { eventsOf, filesOf, Machines, newFolder, VERIFIERS } from './cluster.ts';

const store = useStore();
const machines = async () => Machines.start(await store.newDatabase());

/** Between two places where a process is killed. */
const STEP = isSweep ? 1 : 7;

describe.skipIf(store.isMissing)('a shared ledger', () => {
  test('is followed by a replica whose folder is a whole ledger at each moment, and the same in the end', async () => {
    const all = await machines();
    const replica = all.newReplica();
    const random = new Random('follow');
    await all.append(2);
    await all.sharer.share();
    await replica.update();
    const background = (work: () => Promise<unknown>) => async (isOver: () => boolean) => {
      for (let last = false; !last; await sleep(1)) {
        last = isOver();
        await work();
      }
    };
    let read = 0;
    const fold = new LedgerFold(replica.folder, VERIFIERS, { position: LEDGER_START, state: emptyState() });
    await meanwhile(
      async (isOver) => {
        for (let turn = 0; turn < (isSweep ? 150 : 40) && !isOver(); turn += 1) {
          await all.append(random.whole(1, 9));
          if (random.chance(0.15)) await all.seal();
          if (random.chance(0.5)) await sleep(random.whole(0, 8));
        }
      },
      background(() => all.sharer.share()),
      background(() => replica.update()),
      background(async () => {
        const events = await eventsOf(replica.folder);
        if (!events) return;
        expect(events.length).toBeGreaterThanOrEqual(read);
        read = events.length;
      }),
      background(() => fold.advance()),
    );
    await all.sharer.share();
    await replica.update();
    expect(filesOf(replica.folder)).toEqual(filesOf(all.folder));
    expect((await fold.advance()).events).toBe(all.writer.end.size);
    // One that comes late takes what is sealed from the objects.
    const late = all.newReplica();
    expect(await late.update()).toEqual({ size: all.writer.end.size, isReplaced: false });
    expect(filesOf(late.folder)).toEqual(filesOf(all.folder));
    const rows = await all.database.query('SELECT seq FROM cathedral.ledger_events');
    expect(rows.rows.length).toBeLessThan(all.writer.end.size);
  });

  test('takes 8,000 events at once, and a replica shows all of them or none', async () => {
    const all = await machines();
    await all.append(1);
    await all.sharer.share();
    const replica = all.newReplica();
    await replica.update();
    await all.append(8000);
    const seen = new Set<number>();
    await meanwhile(
      async (isOver) => {
        while (!isOver() && (await replica.update()).size === 1) await sleep(1);
      },
      () => all.sharer.share(),
      async (isOver) => {
        while (!isOver()) seen.add((await eventsOf(replica.folder))!.length);
      },
    );
    seen.add((await eventsOf(replica.folder))!.length);
    expect([...seen].sort()).toEqual([1, 8001]);
    expect(filesOf(replica.folder)).toEqual(filesOf(all.folder));
  });

  test('continues wherever the process that shares it was killed', async () => {
    const all = await machines();
    const replica = all.newReplica();
    for (let calls = 1, isDone = false; !isDone; calls += STEP) {
      await all.change();
      const { mortal, options } = all.mortal(calls);
      await all
        .newSharer(options)
        .share()
        .catch(({ message }) => expect(message).toBe('killed'));
      isDone = !mortal.isDead;
      expect(isDone || calls < 200).toBe(true);
      all.sharer = all.newSharer();
      expect(await all.sharer.share()).toBe(all.writer.end.size);
      await replica.update();
      expect(filesOf(replica.folder)).toEqual(filesOf(all.folder));
    }
    await eventsOf(replica.folder);
    expect(all.writer.end.size).toBeGreaterThan((20 / STEP) * 72);
  });

  test('is a whole ledger wherever a replica was killed, and the next one continues', async () => {
    await patchFs();
    const all = await machines();
    const { folder } = all.newReplica();
    const change = async () => {
      await all.change();
      await all.sharer.share();
    };
    let checked = LEDGER_START;
    const assertContinues = async () => {
      await eventsOf(folder, checked);
      await all.newReplica({ folder }).update();
      expect(filesOf(folder)).toEqual(filesOf(all.folder));
      checked = (await all.shared.facts())!.newest!.position;
    };
    await change();
    await all.newReplica({ folder }).update();
    await change();
    await all.newReplica({ folder }).update();
    for (let calls = 1, isDone = false; !isDone; calls += STEP) {
      await change();
      const { mortal, options } = all.mortal(calls);
      await all
        .newReplica({ ...options, folder })
        .update()
        .catch(({ message }) => expect(message).toBe('killed'));
      isDone = !mortal.isDead;
      expect(isDone || calls < 200).toBe(true);
      await assertContinues();
    }
    // No call on the disk works after one of them, so nothing is tidied up, as after a kill -9.
    await change();
    effects.watch(dirname(folder));
    await all.newReplica({ folder }).update();
    const calls = [...effects.calls];
    expect(calls.length).toBeGreaterThan(10);
    for (let at = 0; at < calls.length; at += STEP) {
      await change();
      effects.watch(dirname(folder), { ...nthOf(calls, at), way: 'EROFS' });
      await all
        .newReplica({ folder })
        .update()
        .catch(() => undefined);
      expect(effects.failed.length).toBeGreaterThan(0);
      effects.watch(null);
      await assertContinues();
    }
  });

  test('is complete again in a bucket that was restored from a copy, so that a new replica has all of it', async () => {
    const all = await machines();
    await all.change();
    await all.sharer.share();
    const copy = [...all.objects.objects.keys()];
    await all.change();
    await all.sharer.share();
    const whole = new Map(all.objects.objects);
    for (const key of whole.keys()) if (!copy.includes(key)) all.objects.objects.delete(key);
    all.objects.objects.set(copy[0]!, Buffer.from('shortened'));
    const late = all.newReplica();
    await all.sharer.share();
    await expect(late.update()).rejects.toMatchObject({ code: 'store_failed' });
    expect(await all.sharer.sendAgain()).toBe(whole.size - copy.length + 1);
    expect(all.objects.objects).toEqual(whole);
    expect(await all.sharer.sendAgain()).toBe(0);
    await late.update();
    expect(filesOf(late.folder)).toEqual(filesOf(all.folder));
    // Bytes that are not those of the row are nobody's.
    all.objects.objects.clear();
    const [file] = readdirSync(join(all.folder, 'snapshots')).sort();
    writeFileSync(join(all.folder, 'snapshots', file!), 'damaged');
    expect(await all.sharer.sendAgain()).toBe(whole.size - 1);
  });

  test('is taken again by a replica whose folder somebody removed, also while nothing new is shared', async () => {
    const all = await machines();
    await all.change();
    await all.sharer.share();
    const replica = all.newReplica();
    await replica.update();
    rmSync(replica.folder, { recursive: true });
    await replica.update();
    expect(filesOf(replica.folder)).toEqual(filesOf(all.folder));
  });

  test('is taken in batches: what a power failure undid is taken again, and a damaged object holds up only what follows it', async () => {
    const all = await machines();
    for (let slot = 0; slot < 40; slot += 1) {
      await all.append(72);
      await all.seal();
    }
    await all.sharer.share();
    const replica = all.newReplica();
    const damaged = [...all.objects.objects.keys()].sort().filter((key) => key.endsWith('zst'))[20]!;
    all.objects.tamper = (key, bytes) => (key === damaged ? null : bytes);
    await expect(replica.update()).rejects.toMatchObject({ code: 'store_failed', found: 'no object' });
    expect((await eventsOf(replica.folder))!.length).toBe(20 * 72);
    all.objects.tamper = null;
    await replica.update();
    expect(filesOf(replica.folder)).toEqual(filesOf(all.folder));
    const path = (name: string) => join(replica.folder, 'snapshots', name);
    const files = readdirSync(path('')).sort();
    for (const lost of [files[10]!, files[31]!]) renameSync(path(lost), path(`${lost}.tmp`));
    writeFileSync(path('2026-10-02T03Z.checkpoint.tmp'), 'no slot of this ledger');
    await expect(eventsOf(replica.folder)).rejects.toMatchObject({ code: 'ledger_unreadable' });
    const index = join(replica.folder, IMPORT_INDEX);
    writeFileSync(index, 'rows of events that are gone');
    await all.newReplica({ folder: replica.folder }).update();
    expect(filesOf(replica.folder)).toEqual(filesOf(all.folder));
    expect(existsSync(index)).toBe(false);
  });

  test('is shared by two processes with the same folder, although the other one is always faster', async () => {
    const all = await machines();
    for (let slot = 0; slot < 12; slot += 1) {
      await all.append(72);
      await all.seal();
    }
    await all.append(5);
    let outrun = 0;
    const faster = async <T>(other: () => Promise<unknown>, own: () => Promise<T>): Promise<T> => {
      await other();
      outrun += 1;
      return own();
    };
    class Outrun extends SharedLedger {
      override seal(...[snapshots, ...before]: Parameters<SharedLedger['seal']>) {
        return faster(
          () => super.seal(snapshots.slice(0, 1), ...before),
          () => super.seal(snapshots, ...before),
        );
      }
      override append(...args: Parameters<SharedLedger['append']>) {
        return faster(
          () => all.sharer.share(),
          () => super.append(...args),
        );
      }
    }
    const slower = all.newSharer({ shared: new Outrun(all.database), random: () => 0 });
    expect(await slower.share()).toBe(all.writer.end.size);
    expect(outrun).toBeGreaterThan(10);
    const replica = all.newReplica();
    await replica.update();
    expect(filesOf(replica.folder)).toEqual(filesOf(all.folder));
  });

  test('wakes replicas for new events, and for a snapshot of events that they have', async () => {
    const all = await machines();
    let woken = 0;
    const stop = all.shared.listen(() => {
      woken += 1;
    });
    try {
      // The connection that listens is made meanwhile.
      const share = async () => {
        await all.append(1);
        await all.sharer.share();
        return woken;
      };
      await expect.poll(share, { timeout: 20_000 }).toBeGreaterThan(0);
      await all.append(72);
      for (const work of [async () => {}, () => all.seal()]) {
        await work();
        const before = woken;
        await all.sharer.share();
        await expect.poll(() => woken, { timeout: 20_000 }).toBeGreaterThan(before);
      }
    } finally {
      stop();
    }
  });

  test('is shared and taken although more is sealed during each step', async () => {
    const all = await machines();
    const replica = all.newReplica();
    await all.append(3);
    await all.sharer.share();
    await replica.update();
    let steps = 5;
    const seal = async () => {
      await all.append(72);
      await all.seal();
    };
    const { put } = all.objects;
    all.objects.put = async (key, object) => {
      if (key.endsWith('.checkpoint') && steps > 0) {
        steps -= 1;
        await seal();
      }
      return put.call(all.objects, key, object);
    };
    await seal();
    while (steps > 0) await all.sharer.share();
    expect(await all.sharer.share()).toBe(all.writer.end.size);
    all.objects.put = put;
    class Growing extends SharedLedger {
      override async snapshots(after: string | null) {
        const found = await super.snapshots(after);
        // The database keeps the events of the last snapshot, so a replica lacks some where there are two.
        for (let slot = 0; slot < 2 && steps < 5; slot += 1) {
          await seal();
          await all.sharer.share();
        }
        steps = Math.min(5, steps + 1);
        return found;
      }
    }
    const slow = all.newReplica({ folder: replica.folder, shared: new Growing(all.database) });
    while (steps < 5) await slow.update();
    expect((await slow.update()).size).toBe(all.writer.end.size);
    expect(filesOf(replica.folder)).toEqual(filesOf(all.folder));
  });

  test('is only ever continued: another ledger, a fork or an older copy is refused, and nothing is changed', async () => {
    const all = await machines();
    await all.append(40);
    await all.sharer.share();
    const older = newFolder();
    cpSync(all.folder, older, { recursive: true });
    await all.append(40);
    await all.seal();
    await all.sharer.share();
    const before = await rowsOf(all);
    const refused = async (folder: string, code: string, found: RegExp, verifiers = VERIFIERS) => {
      const error = await all
        .newSharer({ folder, verifiers })
        .share()
        .catch((error) => error);
      expect(error).toMatchObject({ code });
      expect(error.message).toMatch(found);
      expect(await rowsOf(all)).toEqual(before);
    };
    await refused(older, 'log_forked', /expected the shared ledger snapshot of 72 events .*, found none/);
    const fork = await all.write(older);
    await all.append(41, fork, 'ZEUS');
    await fork.seal([signer], {});
    await refused(older, 'log_forked', /2026-10-01T06Z.checkpoint: .*found root/);
    const other = signerFromSeed('other.example', new Uint8Array(32).fill(3));
    await refused(
      older,
      'config_invalid',
      /--ledger-key: expected a verifier key of ledger.example\/test, .*found keys of other.example/,
      [other.verifier],
    );
    // Events of the head that were changed before they were sealed.
    await all.append(5);
    await all.sharer.share();
    const tampered = newFolder();
    cpSync(all.folder, tampered, { recursive: true });
    const head = readFileSync(join(tampered, 'head.ndjson'), 'utf8');
    writeFileSync(join(tampered, 'head.ndjson'), head.replaceAll('ATLAS', 'ZEUS!'));
    before.splice(0, before.length, ...(await rowsOf(all)));
    await refused(tampered, 'log_forked', /head.ndjson, event 72: expected the event that was shared/);
    const changed = await all.write(tampered);
    await all.append(80, changed);
    await changed.seal([signer], {});
    await refused(tampered, 'log_forked', /12Z.ndjson.zst, event 72: expected the event that was shared/);
    writeFileSync(join(all.folder, 'head.ndjson'), head.slice(0, head.indexOf('\n') + 1));
    await refused(all.folder, 'log_forked', /expected the \d+ events? shared before/);
    await expect(all.sharer.share()).rejects.toMatchObject({ code: 'log_forked' });
  });

  test('reaches replicas only as it was signed, and with the keys that the machine has', async () => {
    const all = await machines();
    const replica = all.newReplica();
    await expect(replica.update()).rejects.toMatchObject({ code: 'ledger_unreadable', found: 'none yet' });
    await all.change();
    await all.sharer.share();
    const other = signerFromSeed('other.example', new Uint8Array(32).fill(3)).verifier;
    const forged = signerFromSeed(signer.verifier.name, new Uint8Array(32).fill(4)).verifier;
    await expect(all.newReplica({ verifiers: [other] }).update()).rejects.toMatchObject({
      code: 'config_invalid',
    });
    const strict = all.newReplica({ verifiers: [forged] });
    await expect(strict.update()).rejects.toMatchObject({ code: 'ledger_signature' });
    expect(filesOf(strict.folder)).not.toHaveProperty('snapshots/2026-10-01T06Z.checkpoint');
    const keys = [...all.objects.objects.keys()];
    for (const tamper of [
      (_: string, bytes: Buffer) => bytes.subarray(0, -1),
      (_: string, bytes: Buffer) => Buffer.concat([bytes, Buffer.from('x')]),
      (key: string) => all.objects.objects.get(keys.find((other) => other !== key)!)!,
      () => null,
    ]) {
      all.objects.tamper = tamper;
      await expect(replica.update()).rejects.toMatchObject({ code: 'store_failed' });
      const files = Object.keys(filesOf(replica.folder));
      expect(files.filter((name) => /^snapshots.*[^p]$/.test(name))).toEqual([]);
    }
    all.objects.tamper = null;
    const row = (root: string) =>
      all.database.query('UPDATE cathedral.ledger_snapshots SET root = $1', [root]);
    const { root } = (await all.shared.facts())!.newest!;
    await row('0'.repeat(64));
    await expect(replica.update()).rejects.toMatchObject({
      code: 'store_failed',
      found: expect.stringMatching(/^root 000/),
    });
    await row(root);
    await replica.update();
    expect(filesOf(replica.folder)).toEqual(filesOf(all.folder));
    const own = newFolder();
    mkdirSync(own, { recursive: true });
    writeFileSync(`${own}.key`, '');
    await expect(all.newReplica({ folder: own }).update()).rejects.toMatchObject({ code: 'config_invalid' });
  });

  test('has the rows before one that stops an import, and is not begun by an import of nothing', async () => {
    const all = await machines();
    all.writer.close();
    const [one, two] = [newFolder(), newFolder()];
    const importInto = (ledger: string, work: () => Promise<unknown>) => {
      const stores = { database: all.database, shared: all.shared, objects: all.objects } as never;
      return new SharedFolder('import', { ledger, verifiers: VERIFIERS }, 0, stores, () => {}).import(
        'key',
        0,
        work,
      );
    };
    const fault = new CathedralError('import_failed', {
      place: 'row 8',
      expected: 'an event',
      found: 'none',
    });
    const failing = async () => Promise.reject(fault);
    await expect(importInto(one, failing)).rejects.toBe(fault);
    expect(await all.shared.facts()).toBeNull();
    const some = async () => {
      const writer = await all.write(one);
      await all.append(7, writer);
      writer.close();
      return failing();
    };
    await expect(importInto(one, some)).rejects.toBe(fault);
    expect(await all.shared.facts()).toMatchObject({ size: 7 });
    expect(await all.shared.knownImportKey()).toBe('key');
    await expect(importInto(two, failing)).rejects.toBe(fault);
    expect(filesOf(two)).toEqual(filesOf(one));
  });

  test('never replaces a ledger that is no copy of it, nor tidies one up', async () => {
    const all = await machines();
    await all.append(100);
    await all.seal();
    await all.sharer.share();
    const folder = newFolder();
    const other = await all.write(folder);
    await all.append(80, other, 'ZEUS');
    await other.seal([signer]);
    other.close();
    const refused = async (expected: object) => {
      const before = filesOf(folder);
      for (const kind of ['replica', 'import'] as const)
        await expect(all.newReplica({ folder, kind }).update()).rejects.toMatchObject(expected);
      expect(filesOf(folder)).toEqual(before);
    };
    await refused({ code: 'log_forked', place: folder });
    renameSync(
      join(folder, 'snapshots/2026-10-01T06Z.ndjson.zst'),
      join(folder, 'snapshots/2026-10-01T06Z.ndjson.zst.old'),
    );
    await refused({ code: 'ledger_unreadable' });
  });

  test('goes on with the events while the object store is down, and stays as it is while the database is', async () => {
    const all = await machines();
    const replica = all.newReplica();
    await all.append(10);
    await all.sharer.share();
    await replica.update();
    await all.append(70);
    await all.seal();
    await all.append(2);
    all.objects.isDown = true;
    await expect(all.sharer.share()).rejects.toMatchObject({ code: 'store_failed' });
    all.objects.isDown = false;
    await all.sharer.share();
    await all.append(3);
    await all.sharer.share();
    // The sealed events were never rows, so this replica has to wait.
    all.objects.isDown = true;
    await expect(replica.update()).rejects.toMatchObject({ code: 'store_failed' });
    expect((await eventsOf(replica.folder))!.length).toBe(10);
    all.objects.isDown = false;
    await replica.update();
    // From here on they are.
    await all.append(20);
    await all.sharer.share();
    await all.append(60);
    await all.sharer.share();
    await all.seal();
    await all.append(4);
    await all.sharer.share();
    all.objects.isDown = true;
    await expect(replica.update()).rejects.toMatchObject({ code: 'store_failed' });
    expect((await eventsOf(replica.folder))!.length).toBe(all.writer.end.size);
    const before = filesOf(replica.folder);
    const database = { ...all.database, query: () => Promise.reject(all.objects.fault) };
    const cut = all.newReplica({ folder: replica.folder, shared: new SharedLedger(database as never) });
    await expect(cut.update()).rejects.toMatchObject({ code: 'store_failed' });
    expect(filesOf(replica.folder)).toEqual(before);
    all.objects.isDown = false;
    await replica.update();
    expect(filesOf(replica.folder)).toEqual(filesOf(all.folder));
  });
});

/** What is shared. */
async function rowsOf({ database }: Machines): Promise<unknown[]> {
  const tables = ['ledger', 'ledger_snapshots', 'ledger_events'];
  const all = tables.map((table) => database.query(`SELECT * FROM cathedral.${table} ORDER BY 1`));
  return (await Promise.all(all)).map(({ rows }) => rows);
}
