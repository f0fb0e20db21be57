/** Decodes canonical base64 (RFC 4648 §4, with padding); null for any other spelling. */
export function decodeBase64(text: string): Uint8Array | null {
  try {
    const binary = atob(text);
    // Lenient decoders ignore spaces, surplus bits and missing padding, so several texts would decode to one signature.
    if (btoa(binary) !== text) return null;
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

export function encodeBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
