import { CathedralError } from '../../errors.ts';

/** The subject of a publisher's signature: a file that belongs to one release, byte for byte. */
export interface SignedFile {
  /** Version of the release. */
  version: number;
  /** Hex. */
  sha256: string;
  bytes: number;
}

const REST = /^([1-9]\d{0,15})\n([0-9a-f]{64})\n([1-9]\d{0,9})\n$/;

/** The text of a note. `form` names the kind of file, `cathedral-manifest/v1`, so a signature cannot be used for another kind. */
export function formatSignedFile(form: string, { version, sha256, bytes }: SignedFile): string {
  return `${form}\n${version}\n${sha256}\n${bytes}\n`;
}

/** Parses the text of a note whose signature was verified. Throws release_invalid. */
export function parseSignedFile(form: string, text: string, place: string): SignedFile {
  const rest = text.startsWith(`${form}\n`) ? text.slice(form.length + 1) : '';
  const [, version, sha256, bytes] = REST.exec(rest) ?? [];
  if (sha256 === undefined || !Number.isSafeInteger(Number(version))) {
    throw new CathedralError('release_invalid', {
      place,
      expected: `${form}, a version, a SHA-256 and a length, a line each`,
      found: JSON.stringify(text.slice(0, 200)),
    });
  }
  return { version: Number(version), sha256, bytes: Number(bytes) };
}
