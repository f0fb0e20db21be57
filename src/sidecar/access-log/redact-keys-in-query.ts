/** The prefix of every key, and the characters that may follow. */
const KEY = /cds_\w*/gi;
/** Parameters in which clients send secrets of any format. */
const SECRET_NAME = /^(api[-_]?key|key|access[-_]?token|token|auth|authorization|bearer|secret|password)$/i;
const REMOVED = '[removed]';
/** Enough rounds of decoding: no client encodes a key more often by mistake. */
const MAX_DECODINGS = 3;

/** Most texts contain no key, no escape that could hide one, and no parameter. */
const MAY_HOLD = /cds_|[%=]/i;

/** Redacts every key in a path or query, however its characters are encoded. */
export function redactKeysInQuery(text: string): string {
  if (!MAY_HOLD.test(text)) return text;
  return text
    .split(/([&/])/)
    .map((part) => withoutSecret(part))
    .join('');
}

function withoutSecret(part: string): string {
  const at = part.indexOf('=');
  const name = part.slice(0, Math.max(at, 0));
  if (SECRET_NAME.test(decode(name))) return `${name}=${REMOVED}`;
  if (decode(part).search(KEY) < 0) return part;
  // With encoded characters, finding the exact extent of the key is not worth the effort.
  if (!part.includes('%')) return part.replace(KEY, REMOVED);
  return at > 0 && decode(name).search(KEY) < 0 ? `${name}=${REMOVED}` : REMOVED;
}

function decode(text: string): string {
  let decoded = text;
  for (let count = 0; count < MAX_DECODINGS; count += 1) {
    // Decodes each escape separately, so that an invalid one does not hide a valid one.
    const next = decoded.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (next === decoded) break;
    decoded = next;
  }
  return decoded;
}
