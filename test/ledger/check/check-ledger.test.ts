import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { CathedralError } from '../../../pipeline/errors.ts';
import { checkLedger } from '../../../pipeline/ledger/check/check-ledger.ts';
import { LedgerFindings } from '../../../pipeline/ledger/check/findings.ts';
import type { LedgerEvent } from '../../../pipeline/ledger/events/event.ts';
import { nextSlotId } from '../../../pipeline/ledger/events/slot.ts';
import { LEDGER_START } from '../../../pipeline/ledger/log/leaf.ts';
import { snapshotFile } from '../../../pipeline/ledger/reading/directory.ts';
import { readCompanionLedger } from '../../../pipeline/model/companion-ledger.ts';
import { Random } from '../../../pipeline/random.ts';
import { sampleEvents } from '../events/sample-events.ts';
import { checkpointNote, compress, linesOf, treeOf } from '../reading/signed-snapshot.ts';
import { collect, FIRST_SLOT, signer, temporaryFolder, writeLedger, writeSnapshot } from '../test-ledger.ts';

const VERIFIERS = [signer.verifier];
const SLOTS = [FIRST_SLOT, nextSlotId(FIRST_SLOT), nextSlotId(nextSlotId(FIRST_SLOT))];
/** Within the slot of the sample events. */
const NOW = Date.parse('2025-07-03T05:00:00Z');

/** Three ledger snapshots of 5, 4 and 6 events, and 3 more events in the head. */
async function smallLedger(): Promise<string> {
  const ledger = temporaryFolder();
  await writeLedger(ledger, 5, 4, 6);
  writeFileSync(join(ledger, 'head.ndjson'), linesOf(sampleEvents(3, 15)));
  return ledger;
}

async function check(ledger: string, now = Date.parse('2025-07-04T05:00:00Z')) {
  const findings = new LedgerFindings();
  const { leaves, end } = await collect(checkLedger(ledger, { verifiers: VERIFIERS, findings, now }));
  const errors = findings.listed.filter(({ severity }) => severity === 'error');
  return { leaves, facts: end, findings, errors };
}

const events = (ledger: string, slot: number) => snapshotFile(ledger, SLOTS[slot]!).events;
const textOf = (file: string) => zstdDecompressSync(readFileSync(file)).toString();

describe('a check of a ledger', () => {
  test('reads what readers read, and finds no error in a sound ledger', async () => {
    const ledger = await smallLedger();
    const { leaves, facts, errors } = await check(ledger);
    expect(errors).toEqual([]);
    expect(leaves.map(({ event }) => event)).toEqual(sampleEvents(18));
    expect(facts).toMatchObject({
      snapshots: { count: 3, first: SLOTS[0], last: SLOTS[2] },
      events: { sealed: 15, head: 3 },
      root_hash: treeOf(linesOf(sampleEvents(15))).root,
      as_of: '2025-07-03T00:17:00Z',
      ignored_events: { something_of_the_future: 3 },
      keys: [{ is_known: true, checkpoints: 3, first: SLOTS[0], last: SLOTS[2] }],
      folded_until: null,
    });
  });

  test('goes on although more is sealed during each step', async () => {
    const ledger = temporaryFolder();
    let position = await writeLedger(ledger, 5);
    let slot = FIRST_SLOT;
    const findings = new LedgerFindings();
    const options = { verifiers: VERIFIERS, findings, now: Date.parse('2025-07-06T05:00:00Z') };
    let sealed = 0;
    for await (const _ of checkLedger(ledger, options)) {
      if (sealed === 6) continue;
      sealed += 1;
      slot = nextSlotId(slot);
      position = await writeSnapshot(ledger, slot, position, sampleEvents(4, position.size));
      const head = join(ledger, 'head.ndjson');
      writeFileSync(`${head}.tmp`, linesOf(sampleEvents(1, position.size)));
      renameSync(`${head}.tmp`, head);
    }
    expect(findings.listed.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(position.size).toBe(5 + 4 * 6);
  });

  /** The errors that readers throw are the specification of the check. */
  test('finds the error at which readers stop, and no error where they read everything', async () => {
    const ledger = await smallLedger();
    const copy = `${ledger}-copy`;
    const random = new Random('damaged ledgers');
    const below = (count: number) => random.bits() % count;
    let refused = 0;
    for (let round = 0; round < 150; round += 1) {
      cpSync(ledger, copy, { recursive: true });
      damage(copy, below);
      const thrown = await readCompanionLedger({ ledger: copy, verifiers: VERIFIERS }).then(
        () => null,
        (error: unknown) => error as CathedralError,
      );
      const { errors } = await check(copy);
      if (thrown === null) expect(errors).toEqual([]);
      else {
        expect(thrown).toBeInstanceOf(CathedralError);
        const { code, place } = thrown;
        expect(errors, thrown.message).toContainEqual(expect.objectContaining({ code, place }));
        refused += 1;
      }
      rmSync(copy, { recursive: true });
    }
    expect(refused).toBeGreaterThan(90);
  });

  test('reads up to the first error, and looks at all files and signatures', async () => {
    const ledger = await smallLedger();
    const bad = textOf(events(ledger, 1))
      .replace('"agent":"ATLAS"', '"agent":"=X"')
      .replace('"seq":8', '"seq":9');
    writeFileSync(events(ledger, 1), compress(bad));
    const { checkpoint } = snapshotFile(ledger, SLOTS[2]!);
    writeFileSync(checkpoint, readFileSync(checkpoint, 'utf8').replace(/\n— (\S+) /, '\n— another '));
    const { leaves, facts, errors } = await check(ledger);
    expect(errors.map(({ code, place }) => `${code} ${place}`)).toEqual([
      `ledger_signature snapshots/${SLOTS[2]}.checkpoint`,
      `ledger_schema snapshots/${SLOTS[1]}.ndjson.zst:1`,
    ]);
    expect(leaves.map(({ event }) => event.seq)).toEqual([0, 1, 2, 3, 4]);
    expect(facts).toMatchObject({ folded_until: 5, root_hash: null, events: { sealed: 5, head: 0 } });
  });

  test('finds every file that is missing', async () => {
    const ledger = await smallLedger();
    rmSync(events(ledger, 0));
    rmSync(snapshotFile(ledger, SLOTS[1]!).checkpoint);
    const { facts, errors } = await check(ledger);
    expect(errors.map(({ code, place }) => `${code} ${place}`)).toEqual([
      `ledger_unreadable snapshots/${SLOTS[0]}.ndjson.zst`,
      `ledger_unreadable snapshots/${SLOTS[1]}.checkpoint`,
    ]);
    expect(facts).toMatchObject({ folded_until: 0, root_hash: null, events: { sealed: 0, head: 0 } });
  });

  test('says by which keys checkpoints are signed', async () => {
    const ledger = await smallLedger();
    const { checkpoint } = snapshotFile(ledger, SLOTS[1]!);
    const line = readFileSync(checkpoint, 'utf8').trimEnd().split('\n').at(-1)!;
    writeFileSync(checkpoint, `${readFileSync(checkpoint, 'utf8')}${line.replace(/— \S+/, '— witness')}\n`);
    const { facts } = await check(ledger);
    expect(facts.keys).toEqual([
      expect.objectContaining({ is_known: true, checkpoints: 3 }),
      expect.objectContaining({ key: expect.stringMatching(/^witness\+/), is_known: false, first: SLOTS[1] }),
    ]);
  });

  test('lists what does not belong into the folder, and what a killed writer left there', async () => {
    const ledger = await smallLedger();
    const later = nextSlotId(SLOTS[2]!);
    for (const [name, text] of [
      ['ledger.key', 'PRIVATE+KEY+ledger+00000000+AQ'],
      ['notes.txt', 'notes'],
      ['head.ndjson.tmp', ''],
      ['snapshots/next.ndjson.zst.tmp', ''],
      ['snapshots/readme', ''],
      [`snapshots/${later}.ndjson.zst`, ''],
    ])
      writeFileSync(join(ledger, name!), text!);
    // A sealer was killed before it took its events out of the head, and a writer within a line.
    writeFileSync(join(ledger, 'head.ndjson'), `${linesOf(sampleEvents(5, 13))}{"seq":18`);
    const { findings, facts } = await check(ledger);
    const told = findings.listed.map(({ severity, code, place }) => `${severity} ${code} ${place}`);
    expect(told.sort()).toEqual(
      [
        'warning key ledger.key',
        'warning stray notes.txt',
        'warning stray snapshots/readme',
        'warning unfinished head.ndjson',
        'warning unfinished head.ndjson:1',
        'warning unfinished head.ndjson.tmp',
        `warning unfinished snapshots/${later}.ndjson.zst`,
        'warning unfinished snapshots/next.ndjson.zst.tmp',
        'warning unsealed event 15',
      ].sort(),
    );
    expect(facts.events).toEqual({ sealed: 15, head: 3 });
  });

  test('warns of events that pass silently elsewhere, and counts those that are alike', async () => {
    const ledger = temporaryFolder();
    const changed = (seq: number, change: Partial<LedgerEvent>) => ({
      ...sampleEvents(1, seq)[0]!,
      ...change,
    });
    await writeSnapshot(ledger, FIRST_SLOT, LEDGER_START, [
      ...sampleEvents(1),
      changed(1, { type: 'mint', data: {} }),
      changed(2, { type: 'mint', data: {}, agent: sampleEvents(1)[0]!.agent.toLowerCase() }),
      changed(3, { cycle: 'C-1' }),
      changed(4, { timestamp: '2025-07-03T06:00:00Z' }),
      changed(5, { timestamp: '2025-07-03T06:10:00Z' }),
    ]);
    const { findings, errors } = await check(ledger, NOW);
    expect(errors).toEqual([]);
    expect(findings.listed.map(({ code, place, count }) => [code, place, count])).toEqual([
      ['clock', `snapshots/${FIRST_SLOT}.checkpoint`, 1],
      ['type', 'event 1', 2],
      ['name', 'event 2', 1],
      ['cycle', 'event 3', 1],
      ['clock', 'event 4', 2],
      ['slot', 'event 4', 2],
    ]);
  });

  test('lists a hundred findings of a code and counts the others, so that its memory is bounded', async () => {
    const ledger = temporaryFolder();
    const later = Array.from({ length: 150 }, (_, seq) => ({
      ...sampleEvents(1, seq)[0]!,
      cycle: `C-${seq}`,
    }));
    await writeSnapshot(ledger, FIRST_SLOT, LEDGER_START, later);
    const { findings } = await check(ledger, Date.parse('2025-07-03T07:00:00Z'));
    expect(findings.listed).toHaveLength(100);
    expect(findings.more).toEqual(new Map([['cycle', 49]]));
  });
});

/** Any change that a disk, a writer or a person may make to a ledger's files. */
function damage(ledger: string, below: (count: number) => number): void {
  const file = snapshotFile(ledger, SLOTS[below(3)]!);
  const head = join(ledger, 'head.ndjson');
  const any = [file.events, file.checkpoint, head][below(3)]!;
  const bytes = readFileSync(any);
  const kind = below(6);
  if (kind === 0) rmSync(any);
  else if (kind === 1) writeFileSync(any, bytes.subarray(0, below(bytes.length)));
  else if (kind === 2) {
    bytes[below(bytes.length)]! ^= 1 << below(8);
    writeFileSync(any, bytes);
  } else {
    const target = below(2) === 0 ? head : file.events;
    const text = target === head ? readFileSync(head, 'utf8') : textOf(target);
    const lines = text.split('\n').slice(0, -1);
    const at = below(lines.length);
    if (kind === 3) lines.splice(at, 1);
    else if (kind === 4) lines.splice(at, 0, lines[below(lines.length)]!);
    else lines[at] = lines[at]!.replace(/[a-z0-9]/g, (one) => (below(60) === 0 ? 'x' : one));
    const changed = lines.map((line) => `${line}\n`).join('');
    writeFileSync(target, target === head ? changed : compress(changed));
    // A careless writer signs what it wrote.
    if (target !== head && below(2) === 0) {
      const before = readdirSync(join(ledger, 'snapshots'))
        .filter((name) => name.endsWith('.zst') && name < `${file.id}.`)
        .map((name) => textOf(join(ledger, 'snapshots', name)));
      writeFileSync(file.checkpoint, checkpointNote(treeOf([...before, changed].join(''))));
    }
  }
}
