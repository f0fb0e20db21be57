import { z } from 'zod';
import { Latest, MOST_KEYS, PublicManifest } from '../../../../pipeline/release/format/public-manifest.ts';

const NAME = 'cathedral-verified';

/** What this browser keeps of the release that it verified last, where its reader has asked for that. */
const Remembered = z.strictObject({
  format: z.literal('cathedral-verified/1'),
  version: Latest.shape.version,
  release: Latest.shape.release,
  as_of: Latest.shape.as_of,
  /** Of `manifest.json`. */
  sha256: Latest.shape.manifest.shape.sha256,
  /** Verifier keys that have signed it. */
  keys: PublicManifest.shape.keys.max(MOST_KEYS),
  log: PublicManifest.shape.log,
});
export type Remembered = z.infer<typeof Remembered>;

/** Null where nothing is remembered, or nothing that can be read; the browser may also give no storage. */
export function recall(): Remembered | null {
  try {
    return Remembered.parse(JSON.parse(localStorage.getItem(NAME) ?? ''));
  } catch {
    return null;
  }
}

/** False: the browser gives no storage. */
export function remember(release: Omit<Remembered, 'format'>): boolean {
  try {
    const { version, release: id, as_of, sha256, keys, log } = release;
    const kept = { format: 'cathedral-verified/1', version, release: id, as_of, sha256, keys, log };
    localStorage.setItem(NAME, JSON.stringify(Remembered.parse(kept)));
    return true;
  } catch {
    return false;
  }
}

export function forget(): void {
  try {
    localStorage.removeItem(NAME);
  } catch {
    // Where there is no storage, nothing is remembered.
  }
}
