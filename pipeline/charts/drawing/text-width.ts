import { showDirections } from '../../artifacts/format/show-directions.ts';

/**
 * Widths of the characters from U+0020 to U+007E in Helvetica, in thousandths of the font's size (Adobe Font Metrics).
 * There is no DOM to measure in; Source Sans, the first choice of the theme, is narrower.
 */
const WIDTHS =
  '278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584'
    .split(' ')
    .map(Number);
const OTHER = 600;
/** Chinese, Japanese, Korean and symbols: as wide as they are high. */
const WIDE_FROM = 0x2e80;
/** Bold type, and the fonts that a machine without Helvetica has instead, are wider. */
const SLACK = 1.08;
const NO_BREAK_SPACE = 0xa0;
const ELLIPSIS = '…';

/** Width in pixels that a line of text takes at most, in a font of `size` pixels. */
export function textWidth(text: string, size: number): number {
  let sum = 0;
  for (const character of text) sum += widthOf(character.codePointAt(0)!);
  return (sum / 1000) * size * SLACK;
}

function widthOf(code: number): number {
  // Shown by its name, as in `[U+202E]`.
  const name = code >= 0x202a && code <= 0x2069 ? showDirections(String.fromCodePoint(code)) : '';
  if (name.length > 2)
    return [...name].reduce((sum, character) => sum + widthOf(character.codePointAt(0)!), 0);
  return WIDTHS[(code === NO_BREAK_SPACE ? 32 : code) - 32] ?? (code >= WIDE_FROM ? 1000 : OTHER);
}

/** The text, or as much of it as fits into `width` with an ellipsis after it. */
export function clipText(text: string, width: number, size: number): string {
  if (textWidth(text, size) <= width) return text;
  const characters = [...text.slice(0, Math.ceil(width))];
  while (characters.length > 1 && textWidth(characters.join('') + ELLIPSIS, size) > width) characters.pop();
  return characters.join('').trimEnd() + ELLIPSIS;
}

/** Lines of whole words that fit into `width`; a word that does not fit alone is clipped, and so is the last line. */
export function wrapText(text: string, width: number, size: number, most = 8): string[] {
  const lines: string[] = [];
  // Not at no-break spaces.
  for (const word of text.split(/[ \t\r\n]+/).filter((word) => word !== '')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && (lines.length === most || textWidth(longer, size) <= width)) {
      lines[lines.length - 1] = longer;
    } else lines.push(word);
  }
  return lines.map((line) => clipText(line, width, size));
}
