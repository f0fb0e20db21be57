/** How every key begins, and what may follow in it. */
const KEY = /cds_\w*/gi;
/** Parameters by which clients send a secret of whatever form. */
const SECRET_NAME = /^(api[-_]?key|key|access[-_]?token|token|auth|authorization|bearer|secret|password)$/i;
const REMOVED = '[removed]';
/** Undoing more than this is not needed: no client encodes a key so often by mistake. */
const MAX_DECODINGS = 3;

/** Most texts have neither a key, nor an escape that could hide one, nor a name with a value. */
const MAY_HOLD = /cds_|[%=]/i;

/** A path or a query in which no key is left, however its characters are encoded. */
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
  // Where characters are encoded, it is not worth knowing which of them are the key's.
  if (!part.includes('%')) return part.replace(KEY, REMOVED);
  return at > 0 && decode(name).search(KEY) < 0 ? `${name}=${REMOVED}` : REMOVED;
}

function decode(text: string): string {
  let decoded = text;
  for (let count = 0; count < MAX_DECODINGS; count += 1) {
    // Each escape by itself, so that a wrong one elsewhere does not hide a right one.
    const next = decoded.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (next === decoded) break;
    decoded = next;
  }
  return decoded;
}
