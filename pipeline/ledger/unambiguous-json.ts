/**
 * Whether a JSON text says one thing only: no object has a member twice, which readers resolve differently, and no
 * number is beyond a double, which would be published as null. `value` is what `JSON.parse` made of `text`.
 */
export function isUnambiguousJson(text: string, value: unknown): boolean {
  try {
    // What its own writer would write again is; this is also by far the quickest check.
    return (
      JSON.stringify(value) === text || (isFiniteThroughout(value) && membersIn(text) === membersOf(value))
    );
  } catch (cause) {
    // Nested so deeply that the stack ends first.
    if (cause instanceof RangeError) return false;
    throw cause;
  }
}

function isFiniteThroughout(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isFiniteThroughout);
  return typeof value !== 'number' || Number.isFinite(value);
}

/** Members as parsed: of equal names the last one only. */
function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value);
  return inner.reduce<number>(
    (sum, child) => sum + membersOf(child),
    Array.isArray(value) ? 0 : inner.length,
  );
}

/** Members as written: in valid JSON, the strings that a colon follows. */
function membersIn(text: string): number {
  // All strings are matched, not only names, lest a match begin inside a value such as ":".
  return text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g).reduce((sum, match) => sum + (match[1] ? 1 : 0), 0);
}
