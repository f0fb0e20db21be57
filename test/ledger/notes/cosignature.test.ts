import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatCheckpoint } from '../../../pipeline/ledger/notes/checkpoint.ts';
import { cosign, verifySignature } from '../../../pipeline/ledger/notes/cosignature.ts';
import {
  COSIGNATURE,
  formatVerifierKey,
  isBy,
  type NoteSignature,
  parseCosignerKey,
  parseLogKey,
  readSignatures,
} from '../../../pipeline/ledger/notes/note.ts';
import { signerFromSeed } from '../../../pipeline/ledger/notes/signer-from-seed.ts';

/**
 * Made with Go's golang.org/x/mod/sumdb/note and crypto/ed25519, from the seeds 01… (log) and 02… (witness), at 1679315147, the time of
 * the specification's example.
 */
const LOG_KEY = 'example.com/log+9be5d3c6+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c';
const WITNESS_KEY = 'witness.example/w1+df1c0a35+BIE5dw6ofRdfVqNUZsNMfszLjYqRtO43ol32D1uPybOU';
const TEXT = 'example.com/log\n1\nMqpom5qivdUurk8W1x9Ps85I759vYQmXsQ/vvi1AJv8=\n';
const COSIGNED_LINE =
  '— witness.example/w1 3xwKNQAAAABkGFDLTu1TEuJFn44PVGCMwQlnLc/lLGp31RcHFjCGMWNgvirqbNWgcgyY+8CFycHMfeD6F0g8+a7d06jf2+Iwy5p5Aw==\n';
const NOTE = `${TEXT}
— example.com/log m+XTxmtJI+6IwHxhmEeRB19hRf1AkwcuNbzlDYb6FML2PrvgMWm9ltOCsHrufKDwVIDxfPEqBXya2gymHo7HzhEyDgo=
${COSIGNED_LINE}`;
const TIME = 1679315147;
const MODULES = resolve(import.meta.dirname, '../../../pipeline/ledger/notes');

const keyOf = (name = 'witness.example/w1') => signerFromSeed(name, new Uint8Array(32).fill(2), COSIGNATURE);

function signatureIn(lines: string): NoteSignature {
  return readSignatures(`${TEXT}\n${lines}`, 'note').signatures[0]!;
}

describe('the note of another implementation', () => {
  test('is verified, the log’s signature and the witness’s, which says when', async () => {
    const { text, signatures } = readSignatures(NOTE, 'note');
    const [log, witness] = [parseLogKey(LOG_KEY), parseCosignerKey(WITNESS_KEY)];
    expect(signatures.map((one) => [isBy(log, one), isBy(witness, one)])).toEqual([
      [true, false],
      [false, true],
    ]);
    expect(await verifySignature(log, text, signatures[0]!)).toEqual({ verdict: 'valid', timestamp: null });
    expect(await verifySignature(witness, text, signatures[1]!)).toEqual({
      verdict: 'valid',
      timestamp: TIME,
    });
  });

  test('is made of the same key and the same bytes', () => {
    const key = keyOf();
    expect(formatVerifierKey(key.verifier)).toBe(WITNESS_KEY);
    expect(cosign(key, TEXT, TIME)).toBe(COSIGNED_LINE);
  });
});

describe('a cosignature', () => {
  const key = keyOf();

  test('is verified with its time, for any tree and any extension', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', '/', '—', 'ß'), minLength: 1, maxLength: 60 });
    const time = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
    await fc.assert(
      fc.asyncProperty(
        line,
        fc.maxSafeNat(),
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        time,
        fc.array(line),
        async (origin, size, root, timestamp, extensions) => {
          const text =
            formatCheckpoint({ origin, size, root: Buffer.from(root).toString('hex') }) +
            extensions.map((one) => `${one}\n`).join('');
          const signature = signatureIn(cosign(key, text, timestamp));
          expect(isBy(key.verifier, signature)).toBe(true);
          expect(await verifySignature(key.verifier, text, signature)).toEqual({
            verdict: 'valid',
            timestamp,
          });
        },
      ),
      { numRuns: 20 },
    );
  });

  test('is invalid with any byte changed, cut off, or beyond the latest time', async () => {
    const { name, id, signature } = signatureIn(cosign(key, TEXT, TIME));
    const verdictOf = (bytes: Uint8Array, text = TEXT) =>
      verifySignature(key.verifier, text, { name, id, signature: bytes });
    for (const at of [0, 7, 8, 9, signature.length - 1]) {
      const changed = signature.slice();
      changed[at]! ^= 1;
      expect(await verdictOf(changed), `byte ${at}`).toEqual({ verdict: 'invalid' });
    }
    for (const length of [0, 7, 8, 64, signature.length - 1])
      expect(await verdictOf(signature.subarray(0, length))).toEqual({ verdict: 'invalid' });
    expect(await verdictOf(Buffer.concat([signature, Buffer.of(0)]))).toEqual({ verdict: 'invalid' });
    const late = Buffer.concat([new Uint8Array(8).fill(255), signature.subarray(8)]);
    expect(await verdictOf(late)).toEqual({ verdict: 'invalid' });
    expect(await verdictOf(signature, TEXT.replace('\n1\n', '\n2\n'))).toEqual({ verdict: 'invalid' });
    expect(await verdictOf(signature, 'no checkpoint\n')).toEqual({ verdict: 'invalid' });
  });

  test('has a key that is read as it was written, and refused with any part changed', () => {
    const vkey = formatVerifierKey(key.verifier);
    expect(parseCosignerKey(`${vkey}\n`)).toEqual(key.verifier);
    expect(parseLogKey(vkey)).toEqual(key.verifier);
    const [, id] = vkey.split('+');
    for (const wrong of [
      ...['', vkey.slice(1), vkey.slice(0, -4), vkey.replace(id!, '00000000'), LOG_KEY],
      ...[`${vkey.slice(0, -4)}AAAA`, vkey.replace('witness', 'wit ness')],
    ])
      expect(() => parseCosignerKey(wrong), wrong.slice(0, 60)).toThrow(
        expect.objectContaining({ code: 'config_invalid' }),
      );
  });
});

test('a cosignature does not cover the cosigner’s name', async () => {
  const signature = signatureIn(cosign(keyOf(), TEXT, TIME));
  const { verifier } = keyOf('witness.example/w2');
  expect(await verifySignature(verifier, TEXT, signature)).toMatchObject({ verdict: 'valid' });
});

test('a log’s key may be of either type, and of no other', () => {
  const log = parseLogKey(LOG_KEY);
  expect(formatVerifierKey(log)).toBe(LOG_KEY);
  expect(() => parseLogKey('example.com/log+00000000+A0AAAAAA')).toThrow('config_invalid');
});

test('a browser without WebCrypto verifies as well', () => {
  // In a process of its own: modules keep what they have found out about their platform.
  const script = `
    const [, modules, key, text, signature] = process.argv;
    for (const name of ['crypto', 'process']) Object.defineProperty(globalThis, name, { value: undefined });
    const { parseCosignerKey } = await import(modules + '/note.ts');
    const { verifySignature } = await import(modules + '/cosignature.ts');
    const { name, id, bytes } = JSON.parse(signature);
    const claim = { name, id, signature: Uint8Array.from(bytes) };
    console.log(JSON.stringify(await verifySignature(parseCosignerKey(key), text, claim)));`;
  const { name, id, signature } = signatureIn(COSIGNED_LINE);
  const args = [MODULES, WITNESS_KEY, TEXT, JSON.stringify({ name, id, bytes: [...signature] })];
  const told = execFileSync(process.execPath, ['--input-type=module', '-e', script, ...args]);
  expect(JSON.parse(`${told}`)).toEqual({ verdict: 'valid', timestamp: TIME });
});
