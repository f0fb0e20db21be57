import { CathedralError } from '../../errors.ts';

/**
 * LaTeX commands that work with any encoding and font, but for the ogonek, which needs T1. Braces are written by name, because BibTeX
 * counts escaped ones too.
 */
export const SYMBOLS: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '{': '\\textbraceleft{}',
  '}': '\\textbraceright{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '&': '\\&',
  '%': '\\%',
  $: '\\$',
  '#': '\\#',
  _: '\\_',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
  '|': '\\textbar{}',
  '–': '--',
  '—': '---',
  '‘': '`',
  '’': "'",
  '“': '``',
  '”': "''",
  '…': '\\ldots{}',
  '\u00A0': '~',
  '§': '\\S{}',
  '©': '\\textcopyright{}',
  '°': '\\textdegree{}',
  '·': '\\textperiodcentered{}',
  '×': '$\\times$',
  '÷': '$\\div$',
  '−': '$-$',
  '±': '$\\pm$',
  '≤': '$\\leq$',
  '≥': '$\\geq$',
  '≠': '$\\neq$',
  '→': '$\\rightarrow$',
  '∥': '$\\parallel$',
  '‖': '$\\Vert$',
  Σ: '$\\Sigma$',
  '²': '$^2$',
  '³': '$^3$',
  ß: '{\\ss}',
  æ: '{\\ae}',
  Æ: '{\\AE}',
  œ: '{\\oe}',
  Œ: '{\\OE}',
  ø: '{\\o}',
  Ø: '{\\O}',
  ł: '{\\l}',
  Ł: '{\\L}',
};

/** Combining marks, which follow their letter in decomposed text (NFD). */
export const ACCENTS: Readonly<Record<string, string>> = {
  '\u0300': '`',
  '\u0301': "'",
  '\u0302': '^',
  '\u0303': '~',
  '\u0304': '=',
  '\u0306': 'u',
  '\u0307': '.',
  '\u0308': '"',
  '\u030A': 'r',
  '\u030B': 'H',
  '\u030C': 'v',
  '\u0327': 'c',
  '\u0328': 'k',
};

/**
 * Plain text as LaTeX: `10 % of é` → `10 \% of {\'{e}}`. A character without a command is written as it is, which today's programs read as UTF-8. Throws
 * artifact_invalid for a control character.
 */
export function formatLatex(text: string, place: string): string {
  const signs = [...curlQuotes(text.normalize('NFC'))].map((character) => formatCharacter(character, place));
  return signs
    .map((sign, at) => (at > 0 && LIGATURE.test(`${signs[at - 1]!.at(-1)}${sign[0]}`) ? `{}${sign}` : sign))
    .join('');
}

/** Two signs that LaTeX sets as another one, such as `--json` with a dash. */
const LIGATURE = /^(--|''|[`?!]`|,,)$/;

function formatCharacter(character: string, place: string): string {
  if (Object.hasOwn(SYMBOLS, character)) return SYMBOLS[character]!;
  if (/^[ -~]$/.test(character)) return character;
  const [letter, mark, ...more] = character.normalize('NFD');
  if (letter && mark && more.length === 0 && /^[A-Za-z]$/.test(letter) && Object.hasOwn(ACCENTS, mark)) {
    return `{\\${ACCENTS[mark]}{${letter}}}`;
  }
  if (!/[\p{Cc}\p{Cs}]/u.test(character)) return character;
  throw new CathedralError('artifact_invalid', {
    place,
    expected: 'text without control characters',
    found: `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`,
  });
}

/**
 * `a "b"` → `a “b”`, as everyone writes it in LaTeX: its own command for a straight quotation mark stops a document without T1 fonts, and
 * Pandoc drops it. The sign itself is a command of some languages.
 */
export function curlQuotes(text: string): string {
  return text.replaceAll(/(?<=^|[\s([{–—])"/g, '“').replaceAll('"', '”');
}
