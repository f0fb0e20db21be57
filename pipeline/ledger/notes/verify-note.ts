import { utf8ToBytes } from '@noble/hashes/utils.js';
import { invalidSignature, readClaims, type Verifier } from './note.ts';

/** Whether a signature by this key is valid (RFC 8032). One of a wrong length, or by a key that is not on the curve, is not. */
type VerifyEd25519 = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => Promise<boolean>;

/** The implementation: the platform's, or the bundled one. */
type Ed25519Engine = 'WebCrypto' | '@noble/curves';

/** The platform's implementation; null in older browsers and on pages loaded over plain HTTP. */
async function webCrypto(): Promise<VerifyEd25519 | null> {
  const { subtle } = (globalThis as { crypto?: Partial<Crypto> }).crypto ?? {};
  if (!subtle) return null;
  const keyOf = (bytes: Uint8Array) => subtle.importKey('raw', owned(bytes), 'Ed25519', false, ['verify']);
  // Any 32 bytes show whether the algorithm is supported.
  const isThere = await keyOf(new Uint8Array(32)).then(
    () => true,
    (error: DOMException) => error.name !== 'NotSupportedError',
  );
  if (!isThere) return null;
  return async (publicKey, message, signature) =>
    subtle.verify('Ed25519', await keyOf(publicKey), owned(signature), owned(message));
}

async function noble(): Promise<VerifyEd25519> {
  const { ed25519 } = await import('./noble-ed25519.ts');
  // The strict rules of RFC 8032, as in WebCrypto.
  return async (publicKey, message, signature) =>
    ed25519.verify(signature, message, publicKey, { zip215: false });
}

let chosen: Promise<{ engine: Ed25519Engine; verify: VerifyEd25519 }> | undefined;

/** The implementation in use, chosen once. */
export function ed25519(): Promise<{ engine: Ed25519Engine; verify: VerifyEd25519 }> {
  chosen ??= webCrypto().then(async (own) => {
    const verify = own ?? (await noble());
    return {
      engine: own ? 'WebCrypto' : '@noble/curves',
      // A signature of a wrong length, or a key that is not on the curve, is invalid.
      verify: (...signed) => verify(...signed).catch(() => false),
    };
  });
  return chosen;
}

/** WebCrypto accepts no views of shared memory. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}

/** Like `openNote`, but also works in browsers, whose verification is asynchronous. */
export async function verifyNote(
  note: string | Uint8Array,
  verifiers: readonly Verifier[],
  place: string,
): Promise<{ text: string; verifier: Verifier }> {
  const { text, claims } = readClaims(note, verifiers, place);
  const { verify } = await ed25519();
  const message = utf8ToBytes(text);
  for (const claim of claims) {
    const holds = await verify(claim.verifier.publicKey, message, claim.signature);
    if (!holds) throw invalidSignature(claim, place);
  }
  return { text, verifier: claims[0].verifier };
}
