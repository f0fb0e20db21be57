import { afterEach, describe, expect, test, vi } from 'vitest';
import { digestOf } from '../../../pipeline/ledger/notes/digest.ts';
import { signNote, type Verifier } from '../../../pipeline/ledger/notes/note.ts';
import { openNote } from '../../../pipeline/ledger/notes/open-note.ts';
import { signerFromSeed } from '../../../pipeline/ledger/notes/signer-from-seed.ts';

type VerifyNote = typeof import('../../../pipeline/ledger/notes/verify-note.ts');
const VERIFY_NOTE = '../../../pipeline/ledger/notes/verify-note.ts';

const SIGNER = signerFromSeed('ledger.example/test', new Uint8Array(32).fill(7));
const OTHER = signerFromSeed('ledger.example/test', new Uint8Array(32).fill(8));
const NOTE = signNote('what is said\n', SIGNER);
/** Not the encoding of any point of the curve. */
const NO_POINT: Verifier = { ...SIGNER.verifier, publicKey: new Uint8Array(32).fill(0xff) };

afterEach(() => {
  vi.unstubAllGlobals();
});

/** The platforms that a page may run on. */
const PLATFORMS = {
  WebCrypto: crypto,
  // An older browser, with hashes but without Ed25519.
  'WebCrypto without Ed25519': {
    subtle: {
      digest: crypto.subtle.digest.bind(crypto.subtle),
      importKey: () => Promise.reject(new DOMException('unknown', 'NotSupportedError')),
    },
  },
  'a page loaded over plain HTTP': {},
};

describe.each(Object.entries(PLATFORMS))('with %s', (platform, stub) => {
  /** The module as it is loaded there: it keeps what it has found out about its platform. */
  async function loaded() {
    vi.stubGlobal('crypto', stub);
    return (await import(`${VERIFY_NOTE}?${encodeURIComponent(platform)}`)) as VerifyNote;
  }

  test('a note is opened like on the command line', async () => {
    const { verifyNote, ed25519 } = await loaded();
    expect(await verifyNote(NOTE, [OTHER.verifier, SIGNER.verifier], 'note')).toEqual(
      openNote(NOTE, [OTHER.verifier, SIGNER.verifier], 'note'),
    );
    expect((await ed25519()).engine).toBe(platform === 'WebCrypto' ? 'WebCrypto' : '@noble/curves');
  });

  test.each([
    ['a changed text', NOTE.replace('what', 'that'), [SIGNER.verifier]],
    ['a key that is no point', NOTE, [NO_POINT]],
    ['another key', NOTE, [OTHER.verifier]],
    ['no note', 'what is said\n', [SIGNER.verifier]],
  ])('%s is refused with the same message', async (_, note, verifiers) => {
    const { verifyNote } = await loaded();
    let expected = '';
    try {
      openNote(note, verifiers, 'note');
    } catch (error) {
      expected = (error as Error).message;
    }
    expect(expected).not.toBe('');
    await expect(verifyNote(note, verifiers, 'note')).rejects.toThrow(expected);
  });

  test('a hash is the same', async () => {
    vi.stubGlobal('crypto', stub);
    expect(await digestOf(new Uint8Array([97, 98, 99]))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});
