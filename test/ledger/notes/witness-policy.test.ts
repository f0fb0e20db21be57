import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatCheckpoint } from '../../../pipeline/ledger/notes/checkpoint.ts';
import { cosign } from '../../../pipeline/ledger/notes/cosignature.ts';
import {
  COSIGNATURE,
  type Cosigner,
  formatVerifierKey,
  type Signer,
  signNote,
} from '../../../pipeline/ledger/notes/note.ts';
import { signerFromSeed } from '../../../pipeline/ledger/notes/signer-from-seed.ts';
import {
  ledgerKeysOf,
  MAX_POLICY_BYTES,
  parseWitnessPolicy,
} from '../../../pipeline/ledger/notes/witness-policy.ts';
import {
  assertQuorum,
  formatWitnessing,
  readWitnesses,
} from '../../../pipeline/ledger/notes/witness-quorum.ts';
import { rowsOf } from '../../rows-of.ts';
import { signer } from '../test-signer.ts';

const keyOf = (name: string) =>
  signerFromSeed(`${name}.witness.example`, createHash('sha256').update(name).digest(), COSIGNATURE);
const vkeyOf = (name: string) => formatVerifierKey(keyOf(name).verifier);
const LOG = formatVerifierKey(signer.verifier);

/** A verifier key as the specification spells it, of any type. */
function vkey(name: string, type: number, publicKey: Buffer): string {
  const typed = Buffer.concat([Buffer.of(type), publicKey]);
  const id = createHash('sha256').update(`${name}\n`).update(typed).digest('hex').slice(0, 8);
  return `${name}+${id}+${typed.toString('base64')}`;
}

/** The specification’s own example, with keys in the place of <vkey>. */
const EXAMPLE = `log ${LOG}

witness X1 ${vkeyOf('X1')}
witness X2 ${vkeyOf('X2')}
witness X3 ${vkeyOf('X3')}
group X-witnesses 2 X1 X2 X3

witness Y1 ${vkeyOf('Y1')}
witness Y2 ${vkeyOf('Y2')}
witness Y3 ${vkeyOf('Y3')}
group Y-witnesses any Y1 Y2 Y3

group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
`;

const parse = (text: string | Buffer) => parseWitnessPolicy(Buffer.from(text), 'policy');

describe('a policy', () => {
  test('has the logs, the witnesses and the quorum of the specification’s example', () => {
    const { logs, witnesses, isQuorum, fewest } = parse(EXAMPLE);
    expect(logs.map(({ key, url, line }) => [key.name, url, line])).toEqual([
      [signer.verifier.name, null, 1],
    ]);
    expect(witnesses.map(({ name, key, line }) => [name, key.type, line])).toEqual([
      ['X1', 4, 3],
      ['X2', 4, 4],
      ['X3', 4, 5],
      ['Y1', 4, 8],
      ['Y2', 4, 9],
      ['Y3', 4, 10],
    ]);
    const isEnough = (names: string) =>
      isQuorum(new Set(witnesses.filter(({ name }) => names.includes(name))));
    // At least two of the first, and at least one of the second.
    for (let subset = 0; subset < 64; subset += 1) {
      const names = witnesses.filter((_, at) => (subset >> at) % 2 === 1).map(({ name }) => name);
      const [x, y] = ['X', 'Y'].map((one) => names.filter((name) => name.startsWith(one)).length);
      expect(isEnough(names.join())).toBe(x! >= 2 && y! >= 1);
    }
    expect(fewest).toBe(3);
  });

  test('may have one witness, addresses, other spacing, comments, lines in another order, and no last newline', () => {
    const lines = [
      `\twitness  all\t${vkeyOf('X1')} https://x1.witness.example/ü  `,
      '  # a comment\t# ü',
      'quorum all',
      '',
      `witness any ${vkeyOf('X2')}`,
      `log ${LOG} https://log.example`,
      `group group 1 any`,
    ];
    const { logs, witnesses, isQuorum, fewest } = parse(lines.join('\n'));
    expect(witnesses.map(({ name, url }) => [name, url])).toEqual([
      ['all', 'https://x1.witness.example/ü'],
      ['any', null],
    ]);
    expect(logs[0]!.url).toBe('https://log.example');
    expect([isQuorum(new Set([witnesses[0]!])), isQuorum(new Set([witnesses[1]!])), fewest]).toEqual([
      true,
      false,
      1,
    ]);
  });

  test('may require no witness, and have none', () => {
    const { logs, witnesses, isQuorum, fewest } = parse('quorum none\n');
    expect([logs, witnesses, isQuorum(new Set()), fewest]).toEqual([[], [], true, 0]);
  });

  test('takes names as octets: neither UTF-8 nor its normal forms matter', () => {
    const names = [[0x4b], [0xe2, 0x84, 0xaa], [0xc3, 0xa9], [0xe9], [0x65, 0xcc, 0x81]].map((one) =>
      Buffer.from(one),
    );
    const witnesses = names.flatMap((name, at) => [
      Buffer.from('witness '),
      name,
      Buffer.from(` ${vkeyOf(`${at}`)}\n`),
    ]);
    const group = Buffer.concat(names.flatMap((name) => [Buffer.from(' '), name]));
    const policy = parse(
      Buffer.concat([...witnesses, Buffer.from('group all all'), group, Buffer.from('\nquorum all\n')]),
    );
    expect([policy.witnesses.length, policy.fewest]).toEqual([5, 5]);
  });

  test('may be saved by a Windows editor, with a byte order mark and CRLF', () => {
    const lines = [`log ${LOG}`, '# both', '', `witness A ${vkeyOf('X1')} https://a.example`, 'quorum A'];
    const plain = parse(lines.join('\n'));
    for (const end of ['\r\n', ''])
      expect(JSON.stringify(parse(`\ufeff${lines.join('\r\n')}${end}`))).toBe(JSON.stringify(plain));
  });

  test('may nest thousands of groups', () => {
    const groups = Array.from({ length: 20_000 }, (_, at) => `group g${at + 1} all g${at}\n`).join('');
    const { witnesses, isQuorum } = parse(`witness g0 ${vkeyOf('X1')}\n${groups}quorum g20000\n`);
    expect([isQuorum(new Set(witnesses)), isQuorum(new Set())]).toEqual([true, false]);
  });

  const [A, B] = [`witness A ${vkeyOf('X1')}`, `witness B ${vkeyOf('X2')}`];
  const end = 'quorum none¶';
  const sameKey = vkey('other.example', 4, Buffer.from(keyOf('X1').verifier.publicKey));
  const keyOfType = (type: number, bytes: number) => vkey('a', type, Buffer.alloc(bytes));
  const rows = rowsOf<[string, string, string, string, string]>(`
an unknown keyword | ${A}¶witnesses A B¶${end} | 2 | log, witness, group, quorum or a comment | "witnesses"
a byte order mark inside | ${A}¶\ufeff${end} | 2 | log, witness | "\ufeffquorum"
a carriage return inside a line | ${A}¶quorum\rA¶ | 2 | no control characters | a carriage return inside a line
a carriage return at the end | ${A}¶quorum A\r | 2 | no control characters | a carriage return
another control character | quorum \0 | 1 | no control characters | 0x00
a delete character | # \x7f | 1 | no control characters | 0x7f
nothing in it |  | 1 | a line “quorum <name>” | the end of the file
no quorum | ${A}¶# quorum A¶ | 2 | a line “quorum <name>” | the end of the file
two quorums | ${A}¶quorum A¶quorum A¶ | 3 | one quorum | the first is on line 2
a quorum without a name | quorum¶ | 1 | quorum <name> | 0 items
a quorum of two names | ${A}¶${B}¶quorum A B¶ | 3 | quorum <name> | 2 items
a quorum that nothing defines | ${A}¶quorum C¶ | 2 | defined above | "C"
a quorum before its definition | quorum A¶${A}¶ | 1 | defined above | "A"
a log without a key | log¶${end} | 1 | log <vkey> [<url>] | 0 items
a comment behind an address | log ${LOG} https://a # x¶${end} | 1 | log <vkey> [<url>] | 4 items
a log’s key that is none | log example.com/log¶${end} | 1 | name+id+base64 | "example.com/log"
the hexadecimal key of another format | witness A ${'1c'.repeat(32)}¶${end} | 1 | name+id+base64 | "1c1c
an unknown type of key | log ${keyOfType(0x63, 32)}¶${end} | 1 | public key | "a+
a witness’s key of a type that cosigns otherwise | ${A}¶witness B ${keyOfType(0x06, 1312)}¶${end} | 2 | a cosigner’s public key (type 4, Ed25519) | "a+
a log’s key for a witness | witness A ${LOG}¶${end} | 1 | cosigner’s public key | "ledger.example/test+
an ECDSA witness | witness A ${keyOfType(2, 33)}¶${end} | 1 | cosigner’s public key | "a+
a short key | witness A ${keyOfType(4, 31)}¶${end} | 1 | public key | "a+
another key id | ${A.replace(/\+.{8}\+/, '+00000000+')}¶${end} | 1 | key id | 00000000
a log twice | log ${LOG}¶log ${LOG} https://a¶${end} | 2 | a public key once | that of line 1 again
a witness’s key twice | ${A}¶witness B ${sameKey}¶${end} | 2 | a public key once | that of line 1 again
a name twice | ${A}¶${B.replace('B', 'A')}¶${end} | 2 | nothing else has | "A", which is defined on line 1
a group named like a witness | ${A}¶${B}¶group A any B¶${end} | 3 | nothing else has | on line 1
a witness named none | ${A.replace('A', 'none')}¶${end} | 1 | another name | none, which is predefined
a group named none | ${A}¶group none any A¶${end} | 2 | another name | none, which is predefined
none in a group | ${A}¶group G any none A¶${end} | 2 | a witness or a group | only a quorum
a group without members | ${A}¶group G 1¶${end} | 2 | group <name> all|any|<number> | 2 items
a threshold of zero | ${A}¶group G 0 A¶${end} | 2 | a number from 1 to 1 | "0"
a threshold above the members | ${A}¶${B}¶group G 3 A B¶${end} | 3 | a number from 1 to 2 | "3"
a threshold in words | ${A}¶group G one A¶${end} | 2 | a number from 1 to 1 | "one"
a negative threshold | ${A}¶group G -1 A¶${end} | 2 | a number from 1 to 1 | "-1"
a threshold with a fraction | ${A}¶${B}¶group G 1.5 A B¶${end} | 3 | a number from 1 to 2 | "1.5"
a member twice in a group | ${A}¶group G all A A¶${end} | 2 | as a member once | one on line 2
a member of two groups | ${A}¶group G any A¶group H any A¶${end} | 3 | as a member once | one on line 2
a member that nothing defines | ${A}¶group G any C¶${end} | 2 | defined above | "C"
a member defined below | group G any A¶${A}¶${end} | 1 | defined above | "A"
a group in itself | ${A}¶group G any A G¶${end} | 2 | defined above | "G"
a cycle of groups | ${A}¶group G any H A¶group H any I¶group I all G¶quorum G¶ | 2 | defined above | "H"`);
  test.each(rows)('with %s is refused with its line', (_, text, line, expected, found) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        place: `policy:${line}`,
        expected: expect.stringContaining(expected),
        found: expect.stringContaining(found),
      }),
    );
  });

  test('of more than 1 MB is refused', () => {
    expect(() => parse(`#${' '.repeat(MAX_POLICY_BYTES)}`)).toThrow(`at most ${MAX_POLICY_BYTES} bytes`);
  });
});

const NOW = Date.UTC(2026, 5, 10, 6);
const seconds = (before: number) => NOW / 1000 - before;
const textOf = (size: number, root = 'ab') =>
  formatCheckpoint({ origin: signer.verifier.name, size, root: root.repeat(32) });
const TEXT = textOf(300);
const NOTE = signNote(TEXT, signer);

/** A checkpoint’s note with cosignatures, each by a witness and so many seconds old. */
const noteBy = (...cosigners: readonly (readonly [Signer<Cosigner>, number, string?])[]) =>
  NOTE +
  cosigners.map(([key, age, text = TEXT]) => cosign(key, text, age === Infinity ? 0 : seconds(age))).join('');
const read = (note: string, policy = EXAMPLE, others: string[] = []) =>
  readWitnesses(note, parse(policy), { place: 'note', now: NOW, others });
const [X1, X2, Y1, Y2] = [keyOf('X1'), keyOf('X2'), keyOf('Y1'), keyOf('Y2')];

test('the example in docs/witnesses.md is a policy', () => {
  const document = readFileSync(join(import.meta.dirname, '../../../docs/witnesses.md'), 'utf8');
  const { logs, witnesses, fewest } = parse(document.match(/\n```\n(# The key of the ledger[^`]*)```/)![1]!);
  expect([logs.length, witnesses.map(({ name }) => name), fewest]).toEqual([
    1,
    ['north', 'south', 'paper'],
    2,
  ]);
});

describe('the witnesses of a checkpoint', () => {
  test('are counted, with their times, by the quorum of the policy', async () => {
    const witnessing = await read(noteBy([X1, 300], [keyOf('stranger'), 0], [X2, 30], [Y1, 7200]));
    expect(
      witnessing.statements.map(({ witness, state, signedAt }) => [witness.name, state, signedAt]),
    ).toEqual([
      ['X1', 'signed', NOW - 300_000],
      ['X2', 'signed', NOW - 30_000],
      ['X3', 'not signed', null],
      ['Y1', 'signed', NOW - 7_200_000],
      ['Y2', 'not signed', null],
      ['Y3', 'not signed', null],
    ]);
    expect(witnessing.checkpoint.size).toBe(300);
    expect(witnessing.isQuorum).toBe(true);
    expect(() => assertQuorum(witnessing, 'note')).not.toThrow();
    expect(formatWitnessing(witnessing, NOW)).toBe(
      '3 of 6 witnesses of the policy signed this checkpoint, the oldest 2 hours ago',
    );
  });

  test('are too few if one group lacks its own', async () => {
    const witnessing = await read(noteBy([X1, 300], [X2, 30]));
    expect(witnessing.isQuorum).toBe(false);
    expect(() => assertQuorum(witnessing, 'note')).toThrow(
      expect.objectContaining({
        code: 'witness_quorum',
        place: 'note',
        expected: 'cosignatures by a quorum of the policy, which needs at least 3 of 6 witnesses',
        found: '2: by X1 and X2; none by X3, Y1, Y2 and Y3',
      }),
    );
  });

  test('count by their newest cosignature, however old it is', async () => {
    const { statements } = await read(noteBy([X1, 900], [X1, 300], [X1, 600], [X2, NOW / 1000 - 1]));
    expect(statements.slice(0, 2).map(({ state, signedAt }) => [state, signedAt])).toEqual([
      ['signed', NOW - 300_000],
      ['signed', 1000],
    ]);
  });

  test('do not count if their clock is far ahead; a little does not matter', async () => {
    const { statements } = await read(noteBy([X1, -540], [X2, -660], [Y2, -86_400], [Y2, 5]));
    expect(statements.map(({ state }) => state)).toEqual([
      'signed',
      'in the future',
      'not signed',
      'not signed',
      'signed',
      'not signed',
    ]);
    const ahead = await read(noteBy([X2, -660]));
    expect(() => assertQuorum(ahead, 'note')).toThrow('0: dated in the future by X2 (2026-06-10T06:11:00Z)');
    expect(formatWitnessing(await read(noteBy([X1, -540])), NOW)).toMatch(
      /signed this checkpoint, just now$/,
    );
  });

  test('are not those who sign with a key of an unknown type, and their lines are ignored', async () => {
    const line = `— X3.witness.example ${Buffer.alloc(4 + 8 + 2420, 1).toString('base64')}\n`;
    const { statements } = await read(noteBy([X1, 60]) + line);
    expect(statements.slice(0, 3).map(({ state }) => state)).toEqual(['signed', 'not signed', 'not signed']);
  });

  test('count without a time', async () => {
    const witnessing = await read(noteBy([Y1, Infinity], [X1, 60], [X2, 60]));
    expect([witnessing.isQuorum, witnessing.statements[3]]).toMatchObject([
      true,
      { state: 'signed', signedAt: null },
    ]);
  });

  test.each([
    ['the policy has no witnesses', 'quorum none\n'],
    [
      '1 of 1 witness of the policy signed this checkpoint, 1 minute ago; the policy requires none',
      `witness X1 ${vkeyOf('X1')}\nquorum none\n`,
    ],
  ])('%s', async (words, policy) => {
    const witnessing = await read(noteBy([X1, 60]), policy);
    expect([witnessing.isQuorum, formatWitnessing(witnessing, NOW)]).toEqual([true, words]);
  });

  const other = textOf(300, 'cd');
  const earlier = textOf(200);
  test.each([
    ['a different root', other, [], 'one that does not verify: it is of another checkpoint, or forged'],
    ['a different root that the reader knows', other, [other], 'of 300 events with the root cdcd'],
    ['an earlier size', earlier, [other, earlier], 'its cosignature of another checkpoint, of 200 events'],
  ])('may not have signed %s', async (_, text, others, found) => {
    const note = noteBy([X1, 60], [X2, 60, text], [Y2, 60]);
    await expect(
      read(
        note,
        EXAMPLE,
        others.map((one) => signNote(one, signer)),
      ),
    ).rejects.toMatchObject({
      code: 'witness_signature',
      place: 'note',
      expected: expect.stringContaining(`by the witness X2 (X2.witness.example+`),
      found: expect.stringContaining(found),
    });
  });

  test.each([
    ['a changed time', (line: string) => changed(line, 11)],
    ['a changed signature', (line: string) => changed(line, 40)],
    ['a cut one', (line: string) => `${line.slice(0, -9)}\n`],
  ])('may not have signed with %s, even if they signed as well', async (_, change) => {
    const line = cosign(X1, TEXT, seconds(60));
    await expect(read(NOTE + line + change(line))).rejects.toMatchObject({ code: 'witness_signature' });
  });

  test('with a name or a key id of the policy, but not both, are strangers', async () => {
    const line = cosign(X1, TEXT, seconds(60));
    const { statements } = await read(`${NOTE}${line.replace('X1.', 'Z1.')}${changed(line, 1)}`);
    expect(new Set(statements.map(({ state }) => state))).toEqual(new Set(['not signed']));
  });
});

/** A signature line with another byte at this place. */
function changed(line: string, at: number): string {
  const [dash, name, base64] = line.trim().split(' ');
  const bytes = Buffer.from(base64!, 'base64');
  bytes[at]! ^= 1;
  return `${dash} ${name} ${bytes.toString('base64')}\n`;
}

test('the key of a witness is spelled as the specification has it', () => {
  expect(vkeyOf('X1')).toBe(vkey('X1.witness.example', 4, Buffer.from(keyOf('X1').verifier.publicKey)));
});

test('of the logs that a policy names, those that sign as ledgers do are ledgers', () => {
  const policyOf = (logs: string) => parseWitnessPolicy(Buffer.from(`${logs}quorum none\n`), 'policy');
  const both = policyOf(`log ${vkeyOf('X1')}\nlog ${LOG}\n`);
  expect(ledgerKeysOf(both, null, '--ledger-key')).toEqual([signer.verifier]);
  const other = policyOf(`log ${vkeyOf('X1')}\n`);
  expect(() => ledgerKeysOf(other, [signer.verifier], '--ledger-key')).toThrow('none with a key of type 1');
});
