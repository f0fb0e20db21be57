import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { withLock } from '../../../pipeline/disk/lock.ts';
import { nextSlotId } from '../../../pipeline/ledger/events/slot.ts';
import { LEDGER_START, type LedgerPosition } from '../../../pipeline/ledger/log/leaf.ts';
import { mergeNotes } from '../../../pipeline/ledger/notes/merge-notes.ts';
import { formatVerifierKey, noteText } from '../../../pipeline/ledger/notes/note.ts';
import {
  cosignLog,
  keepCosigned,
  readWitnesses,
  readWitnessStates,
  type SharedNote,
} from '../../../pipeline/release/log/cosign-log.ts';
import { textsBelow } from '../../files-below.ts';
import { sampleEvents } from '../../ledger/events/sample-events.ts';
import { FIRST_SLOT, signer, temporaryFolder, writeSnapshot } from '../../ledger/test-ledger.ts';
import { useFolder } from '../../setups/use-folder.ts';
import { ForeignKey } from '../../witness/foreign-log.ts';
import { type Behave, type ForeignWitness, foreignWitness } from '../../witness/foreign-witness.ts';
import { checkLog } from './check-log.ts';
import { factsOf, publishLog } from './publish-log.ts';

const LEDGER_KEY = new ForeignKey(signer.verifier.name, 1, 7);
const [ONE, TWO, STRANGER] = [1, 2, 3].map((seed) => new ForeignKey(`witness.example/w${seed}`, 4, seed)) as [
  ForeignKey,
  ForeignKey,
  ForeignKey,
];

const ledger = useFolder();
const ends: LedgerPosition[] = [];
let now: number;
let lines: string[];

beforeAll(async () => {
  let id = FIRST_SLOT;
  for (const count of [3, 250, 20, 400]) {
    const before = ends.at(-1) ?? LEDGER_START;
    ends.push(await writeSnapshot(ledger, id, before, sampleEvents(count, before.size)));
    id = nextSlotId(id);
  }
  expect(formatVerifierKey(signer.verifier)).toBe(LEDGER_KEY.vkey);
});
beforeEach(() => {
  now = 1_800_000_000_000;
  lines = [];
});

function* endless() {
  for (;;) yield 'x'.repeat(100_000);
}

/** A witness that trusts the ledger's key, and a policy file with it. */
async function witnessOf(...keys: ForeignKey[]): Promise<ForeignWitness> {
  return foreignWitness({
    keys,
    log: (text, signatures) => LEDGER_KEY.hasSigned(text, signatures),
    now: () => now / 1000,
  });
}

async function serversOf(...witnesses: readonly (readonly [ForeignWitness | string, ForeignKey])[]) {
  const path = join(temporaryFolder(), 'policy');
  const text = witnesses.map(
    ([witness, { name, vkey }]) =>
      `witness ${name.slice(-2)} ${vkey} ${typeof witness === 'string' ? witness : witness.url}\n`,
  );
  writeFileSync(path, `log ${LEDGER_KEY.vkey}\n${text.join('')}quorum none\n`);
  return readWitnesses(path);
}

const noteAt = (out: string, path = 'checkpoint') => readFileSync(join(out, 'log', path), 'utf8');

async function cosign(
  out: string,
  witnesses: Awaited<ReturnType<typeof serversOf>>,
  shared?: SharedNote,
): Promise<number> {
  const log = (line: string) => lines.push(line);
  return cosignLog({ out, witnesses, waitMs: 0, now: () => now, log, ...(shared && { shared }) });
}

describe('a published checkpoint', () => {
  test('is cosigned at each size, and its note keeps the text and gains lines', async () => {
    const out = temporaryFolder();
    const [one, two] = [await witnessOf(ONE), await witnessOf(TWO)];
    const witnesses = await serversOf([one, ONE], [two, TWO]);
    for (const [index, end] of ends.entries()) {
      await publishLog(out, ledger, end, ends[index - 1] ?? null);
      const published = noteAt(out);
      expect(await cosign(out, witnesses)).toBe(0);
      const note = noteAt(out);
      expect(note.startsWith(published)).toBe(true);
      for (const key of [ONE, TWO]) expect(key.hasSigned(noteText(note, 'note'), note)).toBe(true);
      expect(noteAt(out, `cosigned/${end.size}`)).toBe(note);
      expect(await checkLog(out, factsOf(end), [signer.verifier])).toEqual([]);
    }
    // From the size that each had before, without a question.
    const sizes = ends.map(({ size }) => size);
    expect(one.asked).toEqual(sizes.map((size, at) => [at === 0 ? 0 : sizes[at - 1], size, 200]));
    expect(lines).toEqual([]);
    // Nothing is left to ask.
    expect(await cosign(out, witnesses)).toBe(0);
    expect(one.asked.length).toBe(ends.length);
  });

  test('is asked for from the size that a 409 names, once', async () => {
    const [out, other] = [temporaryFolder(), temporaryFolder()];
    const one = await witnessOf(ONE);
    const witnesses = await serversOf([one, ONE]);
    await publishLog(out, ledger, ends[1]!);
    await cosign(out, witnesses);
    await publishLog(other, ledger, ends[3]!);
    expect(await cosign(other, witnesses)).toBe(0);
    expect(one.asked.slice(1)).toEqual([
      [0, ends[3]!.size, 409],
      [ends[1]!.size, ends[3]!.size, 200],
    ]);
    // This folder is behind what the witness has seen.
    rmSync(join(out, 'witnesses.json'));
    await publishLog(out, ledger, ends[2]!);
    expect(await cosign(out, witnesses)).toBe(1);
    expect(lines.join()).toContain(`at most ${ends[2]!.size} events, found one of ${ends[3]!.size}`);
  });

  test('is not cosigned where the witness saw another log', async () => {
    const out = temporaryFolder();
    const one = await witnessOf(ONE);
    Object.assign(one.last, { size: 2, root: Buffer.alloc(32) });
    await publishLog(out, ledger, ends[0]!);
    expect(await cosign(out, await serversOf([one, ONE]))).toBe(1);
    expect(one.asked.at(-1)).toEqual([2, 3, 422]);
    expect(lines.join()).toMatch(/does not extend the one that it cosigned last, "not consistent"/);
    Object.assign(one.last, { size: 3 });
    await cosign(out, await serversOf([one, ONE]));
    expect(lines.join()).toMatch(/status 409, it cosigned another checkpoint of this size, "not consistent"/);
  });

  test('goes on without a witness that fails, which is asked again', async () => {
    const out = temporaryFolder();
    const [one, two] = [await witnessOf(ONE), await witnessOf(TWO)];
    const witnesses = await serversOf([one, ONE], [two, TWO]);
    await publishLog(out, ledger, ends[0]!);
    two.behave = (response) => Boolean(response.writeHead(503).end());
    expect(await cosign(out, witnesses)).toBe(1);
    expect(await cosign(out, witnesses)).toBe(1);
    expect(one.asked.length, 'the first has cosigned').toBe(1);
    expect(lines.length, 'one line for one fault').toBe(1);
    const text = noteText(noteAt(out), 'note');
    expect([ONE, TWO].map((key) => key.hasSigned(text, noteAt(out)))).toEqual([true, false]);
    two.behave = null;
    expect(await cosign(out, witnesses)).toBe(0);
    expect(TWO.hasSigned(text, noteAt(out))).toBe(true);
    expect(lines.at(-1)).toBe('The witness w2 cosigns again.');
    expect(await readWitnessStates(out)).toMatchObject({
      w1: { cosigned: { size: 3, at: new Date(now).toISOString() }, fault: null },
      w2: { cosigned: { size: 3 }, fault: null },
    });
  });

  const line =
    (key: ForeignKey) =>
    (response: Parameters<Behave>[0], { text }: { text: string }) =>
      Boolean(response.end(key.line(text, now / 1000)));
  const LIES: Record<string, [Behave, RegExp]> = {
    'the cosignature of a stranger': [line(STRANGER), /found none/],
    'a cosignature of another text': [
      (response, { text }) => Boolean(response.end(ONE.line(text.replace('\n3\n', '\n4\n'), now / 1000))),
      /does not verify/,
    ],
    'a valid cosignature and an invalid one': [
      (response, { text }) =>
        Boolean(response.end(ONE.line(text, 5) + ONE.line(text.replace('\n3\n', '\n4\n'), 6))),
      /does not verify/,
    ],
    'a time of zero': [(response, { text }) => Boolean(response.end(ONE.line(text, 0))), /found 0 s/],
    'a time in the future': [
      (response, { text }) => Boolean(response.end(ONE.line(text, now / 1000 + 3600))),
      /found 1800003600 s/,
    ],
    'another text': [
      (response) => Boolean(response.end('hello\n')),
      /cosigned: \S+: expected a signature line "— name base64", found "hello"\.$/,
    ],
    nothing: [
      (response) => Boolean(response.end()),
      /cosigned: \S+: expected a signature line [^:]+, found ""\.$/,
    ],
    'a redirect': [
      (response) => Boolean(response.writeHead(307, { Location: 'http://127.0.0.1:1/' }).end()),
      /status 307/,
    ],
    'an endless body': [
      (response) => Boolean(Readable.from(endless()).pipe(response)),
      /more than 1000000 bytes/,
    ],
    'a broken connection': [(response) => Boolean(response.destroy()), /expected an answer/],
    'a 409 without a size': [(response) => Boolean(response.writeHead(409).end('2\n')), /status 409/],
    'a 409 with the size that was sent': [
      (response) => Boolean(response.writeHead(409, { 'Content-Type': 'text/x.tlog.size' }).end('0\n')),
      /status 409/,
    ],
  };

  test.each(Object.entries(LIES))('gains nothing from %s', async (_, [behave, fault]) => {
    const out = temporaryFolder();
    const one = await witnessOf(ONE);
    one.behave = behave;
    await publishLog(out, ledger, ends[0]!);
    const before = textsBelow(join(out, 'log'));
    expect(await cosign(out, await serversOf([one, ONE]))).toBe(1);
    expect(lines.join()).toMatch(fault);
    expect(textsBelow(join(out, 'log'))).toEqual(before);
  });

  test('tells a signature of the checkpoint before from a forged one', async () => {
    const out = temporaryFolder();
    const one = await witnessOf(ONE);
    const witnesses = await serversOf([one, ONE]);
    await publishLog(out, ledger, ends[0]!);
    expect(await cosign(out, witnesses)).toBe(0);
    const old = noteText(noteAt(out), 'note');
    await publishLog(out, ledger, ends[1]!, ends[0]!);
    one.behave = (response) => Boolean(response.end(ONE.line(old, now / 1000)));
    expect(await cosign(out, witnesses)).toBe(1);
    expect(lines.at(-1)).toMatch(
      /found its cosignature of another checkpoint, of 3 events with the root [0-9a-f]{64}/,
    );
  });

  test('gains nothing where nobody listens', async () => {
    const out = temporaryFolder();
    await publishLog(out, ledger, ends[0]!);
    expect(await cosign(out, await serversOf(['http://127.0.0.1:1', ONE]))).toBe(1);
    expect(lines.join()).toContain('http://127.0.0.1:1/add-checkpoint: expected an answer');
  });

  test('that is no longer the newest keeps its cosignatures, and the newest stays', async () => {
    const out = temporaryFolder();
    await publishLog(out, ledger, ends[0]!);
    const first = noteAt(out);
    await publishLog(out, ledger, ends[1]!, ends[0]!);
    const second = noteAt(out);
    await keepCosigned(out, first + ONE.line(noteText(first, 'note'), 5));
    expect(noteAt(out)).toBe(second);
    expect(noteAt(out, 'cosigned/3')).toBe(first + ONE.line(noteText(first, 'note'), 5));
    await keepCosigned(out, first + TWO.line(noteText(first, 'note'), 5));
    expect(noteAt(out, 'cosigned/3').split('\n').length).toBe(first.split('\n').length + 2);
  });

  test('waits for a run that uses the folder, and is cosigned after it', async () => {
    const out = temporaryFolder();
    const one = await witnessOf(ONE);
    const witnesses = await serversOf([one, ONE]);
    await publishLog(out, ledger, ends[0]!);
    const before = noteAt(out);
    await withLock(out, { waitMs: 0, holder: 'a run' }, () =>
      expect(cosign(out, witnesses)).rejects.toMatchObject({ code: 'locked' }),
    );
    expect(noteAt(out)).toBe(before);
    expect(await cosign(out, witnesses)).toBe(0);
    expect(noteAt(out)).not.toBe(before);
  });

  test('of several machines is the shared one, which gets what is new and gives what others have', async () => {
    const out = temporaryFolder();
    const [one, two] = [await witnessOf(ONE), await witnessOf(TWO)];
    await publishLog(out, ledger, ends[0]!);
    const text = noteText(noteAt(out), 'note');
    const plain = noteAt(out);
    let shared = plain + TWO.line(text, 5);
    const row: SharedNote = {
      read: async () => shared,
      add: async (note) => {
        shared = mergeNotes(note, shared, 'row');
      },
    };
    expect(await cosign(out, await serversOf([one, ONE], [two, TWO]), row)).toBe(0);
    expect([one.asked.length, two.asked.length]).toEqual([1, 0]);
    for (const note of [shared, noteAt(out)])
      expect([ONE, TWO].every((key) => key.hasSigned(text, note))).toBe(true);
    // A forged line with a later time replaces nothing, and does not count as a cosignature.
    const forged = ONE.line('another\n1\nb\n', 9_000_000_000);
    shared = plain + forged;
    expect(await cosign(out, await serversOf([one, ONE]), row)).toBe(0);
    expect([one.asked.length, ONE.hasSigned(text, noteAt(out))]).toEqual([1, true]);
    writeFileSync(join(out, 'log/checkpoint'), plain + forged);
    rmSync(join(out, 'log/cosigned'), { recursive: true });
    expect(await cosign(out, await serversOf([one, ONE]), row)).toBe(0);
    expect(one.asked.length).toBe(2);
    for (const note of [shared, noteAt(out), noteAt(out, 'cosigned/3')])
      expect([ONE.hasSigned(text, note), note.includes(forged)]).toEqual([true, false]);
    // Another publisher has a longer log by now.
    const later = temporaryFolder();
    await publishLog(later, ledger, ends[1]!);
    shared = noteAt(later);
    rmSync(join(out, 'log/cosigned'), { recursive: true });
    writeFileSync(join(out, 'log/checkpoint'), `${text}\n${LEDGER_KEY.line(text)}`);
    expect(await cosign(out, await serversOf([one, ONE]), row)).toBe(0);
    expect(one.asked.length).toBe(2);
  });
});

describe('merged notes', () => {
  const text = 'a\n1\nb\n';
  const noteOf = (...signatures: string[]) => `${text}\n${LEDGER_KEY.line(text)}${signatures.join('')}`;
  const [early, late] = [ONE.line(text, 5), ONE.line(text, 6)];

  test.each<[string, string, string, string]>([
    [
      'have the lines of both, each once',
      noteOf(early),
      noteOf(TWO.line(text, 5), early),
      noteOf(early, TWO.line(text, 5)),
    ],
    [
      'keep the cosignature of a key that they have, whatever is newer',
      noteOf(early),
      noteOf(late),
      noteOf(early),
    ],
    ['have one cosignature of a key', noteOf(late, early), noteOf(early), noteOf(late)],
  ])('%s', (_, one, other, merged) => {
    expect(mergeNotes(one, other, 'note')).toBe(merged);
  });

  test('have one text', () => {
    expect(() => mergeNotes(noteOf(), noteOf().replace('a\n', 'c\n'), 'note')).toThrow(RangeError);
  });

  test('have at most a hundred lines, and keep those of the first', () => {
    const many = Array.from({ length: 99 }, (_, at) => new ForeignKey(`w${at}`, 4, 1).line(text, 5));
    expect(mergeNotes(noteOf(...many), noteOf(ONE.line(text, 5)), 'note')).toBe(noteOf(...many));
  });
});

test.each([
  ['an address that is none', (vkey: string) => `witness w1 ${vkey} ftp://witness.example\nquorum w1\n`],
  ['an address with a query', (vkey: string) => `witness w1 ${vkey} https://witness.example/?a\nquorum w1\n`],
  ['no address', (vkey: string) => `witness w1 ${vkey}\nquorum w1\n`],
])('a policy with %s is refused', async (_, policy) => {
  const path = join(temporaryFolder(), 'policy');
  writeFileSync(path, policy(ONE.vkey));
  await expect(readWitnesses(path)).rejects.toMatchObject({ code: 'config_invalid' });
});
