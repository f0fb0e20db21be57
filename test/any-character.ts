import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };

/**
 * Any character of Unicode, as the `unit` of a string; not half a surrogate pair. The same as 'binary', which first fills a table of all
 * of them: that takes two seconds in each process.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES.count })
  .map((at) => String.fromCodePoint(at < SURROGATES.first ? at : at + SURROGATES.count), placeOf);

/** NaN for what is no character. */
function placeOf(text: unknown): number {
  if (typeof text !== 'string' || !text.isWellFormed() || [...text].length !== 1) return Number.NaN;
  const code = text.codePointAt(0)!;
  return code < SURROGATES.first ? code : code - SURROGATES.count;
}
