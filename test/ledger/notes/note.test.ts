import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatVerifierKey, parseVerifierKey, signNote } from '../../../pipeline/ledger/notes/note.ts';
import { isPrivate } from '../../../pipeline/ledger/notes/note-keys.ts';
import { openNote } from '../../../pipeline/ledger/notes/open-note.ts';
import { signerFromSeed } from '../../../pipeline/ledger/notes/signer-from-seed.ts';
import { anyCharacter } from '../../any-character.ts';

/** The test vector of the reference implementation, Go's sumdb/note: key, seed and note. */
const VKEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const SEED = Buffer.from('AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz', 'base64').subarray(1);
const TEXT =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const SIGNATURE =
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';
const NOTE = `${TEXT}\n${SIGNATURE}`;

const peter = parseVerifierKey(VKEY);
const other = signerFromSeed('witness.example', new Uint8Array(32).fill(1));

describe('a verifier key', () => {
  test('is read and written like in the reference implementation', () => {
    expect(formatVerifierKey(peter)).toBe(VKEY);
    expect([peter.name, peter.id]).toEqual(['PeterNeumann', 'c74f20a3']);
  });

  test('may end with a line ending, as in a file', () => {
    expect(parseVerifierKey(`${VKEY}\n`).id).toBe(peter.id);
  });

  test('is refused when any part of it is missing', () => {
    for (let from = 0; from < VKEY.length; from++) {
      for (let to = from + 1; to <= VKEY.length; to++) {
        if (from === 0 && to === VKEY.length) continue;
        expect(() => parseVerifierKey(VKEY.slice(from, to))).toThrow(
          expect.objectContaining({ code: 'config_invalid' }),
        );
      }
    }
  });

  test('is refused with any character changed', () => {
    for (let at = 0; at < VKEY.length; at++) {
      const changed = VKEY.slice(0, at) + String.fromCharCode(VKEY.charCodeAt(at) + 1) + VKEY.slice(at + 1);
      expect(() => parseVerifierKey(changed)).toThrow(expect.objectContaining({ code: 'config_invalid' }));
    }
  });

  test.each([
    [
      'a key of the wrong length',
      'PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==',
    ],
    ['an unknown algorithm', 'PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'],
    ['a name with a space', VKEY.replace('PeterN', 'Peter N')],
  ])('is refused with %s, though its id fits', (_, vkey) => {
    expect(() => parseVerifierKey(vkey)).toThrow(expect.objectContaining({ code: 'config_invalid' }));
  });

  test.each(['', 'two words', 'a+b', 'line\nend', 'no\u00a0break', 'ideographic\u3000space'])(
    'has no name %j',
    (name) => {
      expect(() => signerFromSeed(name, SEED)).toThrow(expect.objectContaining({ code: 'config_invalid' }));
    },
  );

  test('requires a seed of 32 bytes', () => {
    for (const length of [0, 31, 33, 64]) {
      expect(() => signerFromSeed('name', new Uint8Array(length))).toThrow(`expected a seed of 32 bytes`);
    }
  });
});

describe('a signed note', () => {
  test('has the same bytes as in the reference implementation', () => {
    const signer = signerFromSeed('PeterNeumann', SEED);
    expect(formatVerifierKey(signer.verifier)).toBe(VKEY);
    expect(signNote(TEXT, signer)).toBe(NOTE);
  });

  test('of the reference implementation is opened', () => {
    expect(openNote(NOTE, [peter], 'note')).toEqual({ text: TEXT, verifier: peter });
    expect(openNote(Buffer.from(NOTE), [other.verifier, peter], 'note').verifier).toBe(peter);
  });

  test('opens to the signed text, including blank lines', () => {
    const line = fc.string({ unit: anyCharacter }).map((text) => text.replaceAll(/\p{Cc}/gu, ''));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), (lines) => {
        const text = `${lines.join('\n')}\n`;
        expect(openNote(signNote(text, other), [other.verifier], 'note').text).toBe(text);
      }),
    );
  });

  test('may carry signatures by unknown keys, before and after', () => {
    const witness = signNote(TEXT, other).split('\n\n')[1];
    expect(openNote(`${TEXT}\n${witness}${SIGNATURE}`, [peter], 'note').verifier).toBe(peter);
    expect(openNote(`${TEXT}\n${SIGNATURE}${witness}`, [peter], 'note').verifier).toBe(peter);
  });

  test('with a key of the same name and a different id is signed by an unknown key', () => {
    const namesake = signerFromSeed('PeterNeumann', new Uint8Array(32).fill(9));
    expect(() => openNote(signNote(TEXT, namesake), [peter], 'note')).toThrow(
      expect.objectContaining({ code: 'ledger_signature', place: 'note' }),
    );
  });

  test('may carry several signatures by one known key, all of which have to verify', () => {
    const [witness, later] = ['a', 'b'].map((text) => signNote(`${text}\n`, other).split('\n\n')[1]!);
    const known = [peter, other.verifier];
    expect(openNote(NOTE + witness + SIGNATURE + later + witness, [peter], 'note').verifier).toBe(peter);
    expect(openNote(NOTE + SIGNATURE, [peter], 'note').verifier).toBe(peter);
    const own = signNote(TEXT, other).split('\n\n')[1]!;
    expect(openNote(NOTE + own + own, known, 'note').verifier).toBe(peter);
    expect(() => openNote(NOTE + own + later, known, 'note')).toThrow('one that does not verify');
  });

  test('is refused if one known signature verifies and another does not', () => {
    const witness = signNote('Another text.\n', other).split('\n\n')[1];
    expect(() => openNote(`${TEXT}\n${SIGNATURE}${witness}`, [peter, other.verifier], 'note')).toThrow(
      expect.objectContaining({ code: 'ledger_signature' }),
    );
  });

  test('is refused if no key is known', () => {
    expect(() => openNote(NOTE, [], 'note')).toThrow(expect.objectContaining({ code: 'ledger_signature' }));
  });

  test('is refused with any bit flipped', () => {
    const bytes = Buffer.from(NOTE);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => openNote(changed, [peter], 'note'), `bit ${bit}`).toThrow(/ledger_(corrupt|signature)/);
    }
  });

  test('is refused when truncated anywhere', () => {
    for (let length = 0; length < NOTE.length; length++) {
      expect(() => openNote(NOTE.slice(0, length), [peter], 'note'), `at ${length}`).toThrow(
        /ledger_(corrupt|signature)/,
      );
    }
  });

  test.each([
    ['nothing', ''],
    ['no signature', `${TEXT}\n`],
    ['no blank line', TEXT + SIGNATURE],
    ['no final line ending', NOTE.slice(0, -1)],
    ['text after the signatures', `${NOTE}more\n`],
    ['a carriage return', NOTE.replaceAll('\n', '\r\n')],
    ['a tab in the text', signed('a\tb\n')],
    ['a NUL in the text', signed('a\0b\n')],
    ['a hyphen for the em dash', NOTE.replace('—', '-')],
    ['two spaces', NOTE.replace('— ', '—  ')],
    ['a space at the end of the signature', NOTE.replace('AM=\n', 'AM= \n')],
    ['no padding', NOTE.replace('AM=\n', 'AM\n')],
    ['stray bits under the padding', NOTE.replace('AM=\n', 'AN=\n')],
    ['the URL alphabet', NOTE.replace('x08go/', 'x08go_')],
    ['an empty signature', `${TEXT}\n— PeterNeumann x08gow==\n`],
    ['101 signatures', `${TEXT}\n${manySignatures(101)}`],
    ['more than 1 MB', `${'a'.repeat(1_000_000)}\n\n${SIGNATURE}`],
    ['a lone surrogate', `\ud800\n\n${SIGNATURE}`],
  ])('is refused with %s', (_, note) => {
    expect(() => openNote(note, [peter], 'here')).toThrow(
      expect.objectContaining({ code: 'ledger_corrupt', place: 'here' }),
    );
  });

  test('may have 100 signatures', () => {
    expect(openNote(`${TEXT}\n${manySignatures(99)}${SIGNATURE}`, [peter], 'note').text).toBe(TEXT);
  });

  test.each([
    ['bytes that are not UTF-8', Buffer.concat([Buffer.of(0xff), Buffer.from(NOTE)])],
    ['an overlong encoding', Buffer.concat([Buffer.of(0xc0, 0x80), Buffer.from(NOTE)])],
  ])('is refused with %s', (_, note) => {
    expect(() => openNote(note, [peter], 'note')).toThrow(
      expect.objectContaining({ code: 'ledger_corrupt' }),
    );
  });

  test('is refused with a byte order mark, which would be part of the text', () => {
    expect(() => openNote(Buffer.from(`\ufeff${NOTE}`), [peter], 'note')).toThrow(
      expect.objectContaining({ code: 'ledger_signature' }),
    );
  });

  test.each(['', 'no line end', 'a\rb\n', '\ud800\n'])('is not made of the text %j', (text) => {
    expect(() => signNote(text, other)).toThrow(expect.objectContaining({ code: 'ledger_corrupt' }));
  });
});

/** A note by a key that signs anything, so that only its form can be invalid. */
function signed(text: string): string {
  const id = Buffer.from(other.verifier.id, 'hex');
  const signature = Buffer.concat([id, other.sign(Buffer.from(text))]).toString('base64');
  return `${text}\n— ${other.verifier.name} ${signature}\n`;
}

function manySignatures(count: number): string {
  const lines = Array.from(
    { length: count },
    (_, i) => `— w${i} ${Buffer.alloc(68, i).toString('base64')}\n`,
  );
  return lines.join('');
}

test.each([
  ['/etc/cathedral/ledger.key', 0o600, true],
  ['/etc/cathedral/ledger.key', 0o640, false],
  ['/run/credentials/cathedral.service/ledger.key', 0o440, true],
  ['/run/credentials/cathedral.service/ledger.key', 0o444, false],
])('whether %s with mode %i keeps a secret: %s', (path, mode, secret) => {
  expect(isPrivate(path, mode)).toBe(secret);
});
