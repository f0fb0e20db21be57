import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/** After so many the page gets its turn, to show how far it is and to hear that it should stop. */
const TURN_BYTES = 4 << 20;

/** SHA-256 of a file, hex, piece by piece: WebCrypto would want all of it in memory at once. */
export async function hashFile(file: Blob, progress: (bytes: number) => void): Promise<string> {
  const hash = sha256.create();
  const reader = file.stream().getReader();
  let bytes = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      hash.update(next.value);
      if (Math.floor(bytes / TURN_BYTES) < Math.floor((bytes + next.value.length) / TURN_BYTES)) await turn();
      bytes += next.value.length;
      progress(bytes);
    }
  } finally {
    await reader.cancel();
  }
  return bytesToHex(hash.digest());
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve);
  });
}
