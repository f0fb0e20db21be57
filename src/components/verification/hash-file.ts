import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/** SHA-256 of a file, hex, piece by piece: WebCrypto would want all of it in memory at once. */
export async function hashFile(file: Blob, progress: (bytes: number) => void): Promise<string> {
  const hash = sha256.create();
  const reader = file.stream().getReader();
  let bytes = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      hash.update(next.value);
      bytes += next.value.length;
      progress(bytes);
    }
  } finally {
    await reader.cancel();
  }
  return bytesToHex(hash.digest());
}
