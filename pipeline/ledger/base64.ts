/** The bytes of the one spelling that gives them back (RFC 4648 §4, with padding); null for any other. */
export function decodeBase64(text: string): Uint8Array | null {
  try {
    const binary = atob(text);
    // Lenient decoders drop spaces, bits beyond the last byte and missing padding: then many texts are one signature.
    if (btoa(binary) !== text) return null;
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

export function encodeBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
