import { ACCENTS, SYMBOLS } from './latex.ts';

/** Combining marks by their command. Reading knows two that writing does not need. */
const MARKS = new Map(
  Object.entries({ ...ACCENTS, '\u0323': 'd', '\u0331': 'b' }).map(([mark, command]) => [command, mark]),
);

const GREEK =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho - sigma tau upsilon phi chi psi omega';

/** Commands of letters that stand for a sign, each before its sign, besides those that are written. */
const SIGNS = `
aa å AA Å i ı j ȷ dh ð DH Ð dj đ DJ Đ th þ TH Þ ng ŋ NG Ŋ SS ẞ
P ¶ textsection § textparagraph ¶ copyright © textregistered ® texttrademark ™ textordfeminine ª textordmasculine º
pounds £ textsterling £ euro € texteuro € textyen ¥ textcent ¢ textdollar $ textpercent % textunderscore _ textampersand &
dots … textellipsis … textendash – textemdash — hyphen - slash / cprime ʹ textbullet • textdagger †
textquotedbl " textquotesingle ' textasciigrave \` textquoteleft ‘ textquoteright ’ textquotedblleft “ textquotedblright ” quotedblbase „
lq ‘ rq ’ glqq „ grqq “ flqq « frqq » guillemotleft « guillemotright » textexclamdown ¡ textquestiondown ¿
textmu µ texttimes × textdiv ÷ textpm ± textminus − textrightarrow → textleftarrow ← textonehalf ½
le ≤ ge ≥ ne ≠ to → leftarrow ← cdot · ldots … infty ∞ approx ≈ sim ∼ in ∈ sum ∑ prod ∏ sqrt √
partial ∂ nabla ∇ propto ∝ equiv ≡ circ ∘ ell ℓ TeX TeX LaTeX LaTeX BibTeX BibTeX`;

/** Commands that change the look of what follows, up to the end of its braces, and those that show nothing. */
const SILENT =
  'em it bf sc tt rm sf sl itshape bfseries scshape ttfamily rmfamily sffamily slshape upshape mdseries normalfont small relax protect null ! - / @';

/** The text that a command stands for. */
const TEXTS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(SYMBOLS).flatMap(([text, latex]): [string, string][] => {
    const name = /^[${]*\\([A-Za-z]+)/.exec(latex)?.[1];
    return name === undefined ? [] : [[name, text]];
  }),
  ...GREEK.split(' ').flatMap((name, index): [string, string][] => [
    [name, String.fromCodePoint(0x3b1 + index)],
    [name.slice(0, 1).toUpperCase() + name.slice(1), String.fromCodePoint(0x391 + index)],
  ]),
  ...[...SIGNS.matchAll(/(\S+) (\S+)/g)].map(([, name, sign]): [string, string] => [name!, sign!]),
  ...[...'&%$#_{}'].map((sign): [string, string] => [sign, sign]),
  ['|', '‖'],
  ...SILENT.split(' ').map((name): [string, string] => [name, '']),
  ...['space', 'quad', 'qquad', 'newline', 'par', ...',;: \\\n'].map((name): [string, string] => [name, ' ']),
]);

/** Commands whose last argument is the text, by their number of arguments. */
const WRAPPERS = new Map([
  ...'emph textit textbf texttt textsc textrm textsf textsl textup textmd textnormal text mbox hbox underline url path nolinkurl mkbibemph mkbibbold NoCaseChange uppercase lowercase mathrm operatorname mathit mathbf mathsf mathcal mathbb'
    .split(' ')
    .map((name): [string, number] => [name, 1]),
  ...'noopsort href texorpdfstring foreignlanguage textcolor'
    .split(' ')
    .map((name): [string, number] => [name, 2]),
]);

/** Commands that change their argument. */
const TRANSFORMS: Readonly<Record<string, (text: string) => string | null>> = {
  enquote: (text) => `“${text}”`,
  mkbibquote: (text) => `“${text}”`,
  ensuremath: (text) => text,
  textsuperscript: (text) => raised(text, '⁰¹²³⁴⁵⁶⁷⁸⁹'),
  textsubscript: (text) => raised(text, '₀₁₂₃₄₅₆₇₈₉'),
};

/** Digits become raised or lowered ones, since `10^6` is not `106`; letters (`5th`) stay as they are. Null for a mixture. */
function raised(text: string, digits: string): string | null {
  if (/^[\p{L}. ]*$/u.test(text)) return text;
  const signs: Record<string, string> = digits.startsWith('⁰') ? { '-': '⁻', '−': '⁻', '+': '⁺' } : {};
  const all = [...text].map((sign) => (/\d/.test(sign) ? digits[Number(sign)] : signs[sign]));
  return all.includes(undefined) ? null : all.join('');
}

const LIGATURES: Readonly<Record<string, string>> = {
  '---': '—',
  '--': '–',
  '``': '“',
  "''": '”',
  '?`': '¿',
  '!`': '¡',
  '~': ' ',
  '`': '‘',
};
/** A formula as TeX and Pandoc see it, so that “$5 and $6” is none. Before a digit it has a command, an exponent or a sign: `2$\times$3`, `$<$5`. */
const FORMULA =
  /\$(?!\s)((?:\\.|[^$\\])+?)(?<!\s)\$(?:(?!\d)|(?<=(?:\\[A-Za-z][^$]*|\^[^$]*|\$[-+=<>])\$))/sy;

export class UnknownLatex extends Error {}

/**
 * The plain text of LaTeX as it stands in bibliographies: accents, symbols and quotation marks become characters, braces and fonts
 * vanish, white space becomes one blank. A formula that is more than letters, digits and symbols stays as it is written. Throws UnknownLatex for a
 * command that this module does not know, because leaving it out would change the text.
 */
export function parseLatex(latex: string): string {
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(latex);
    if (found) at = pattern.lastIndex;
    return found;
  };
  /** Up to the brace that ends a group, or the end. A brace that ends nothing is left out. */
  const text = (isGroup: boolean): string => {
    let read = '';
    while (at < latex.length) {
      if (latex[at] !== '}') read += next();
      else {
        at += 1;
        if (isGroup) break;
      }
    }
    return read;
  };
  const next = (): string => {
    if (take(/\{/y)) return text(true);
    if (take(/\\/y)) return command();
    const formula = take(FORMULA);
    if (formula) return readFormula(formula[1]!) ?? formula[0];
    const [ligature] = take(/---|--|``|''|[?!]`|~|`/y) ?? [];
    return ligature === undefined ? take(/[\s\S]/y)![0] : LIGATURES[ligature]!;
  };
  const command = (): string => {
    const accent = take(/[`'^"~=.]|[uvHcdkrb](?![A-Za-z])/y)?.[0];
    if (accent !== undefined) return accented(argument(), accent);
    const formula = take(/\((.*?)\\\)/sy);
    if (formula) return readFormula(formula[1]!) ?? `$${formula[1]}$`;
    // TeX ignores the blanks after a command of letters.
    const name = take(/([A-Za-z]+)\*?\s*/y)?.[1] ?? take(/[\s\S]/y)?.[0] ?? '';
    const known = TEXTS.get(name);
    if (known !== undefined) return known;
    const transform = Object.hasOwn(TRANSFORMS, name) ? TRANSFORMS[name] : undefined;
    const count = transform ? 1 : (WRAPPERS.get(name) ?? unknown(name));
    const given = Array.from({ length: count }, argument).at(-1)!;
    return transform ? (transform(given) ?? unknown(`${name}{${given}}`)) : given;
  };
  /** The text in braces, or one character or command. */
  const argument = (): string => {
    take(/\s+/y);
    return at === latex.length || latex[at] === '}' ? '' : next();
  };
  return text(false).replaceAll(/\s+/g, ' ').trim().normalize('NFC');
}

function unknown(name: string): never {
  throw new UnknownLatex(`\\${name}`);
}

/** `\'{e}`, `\'e`, `\'{\i}`, `\'\i`; `\~{}` is the sign itself. */
function accented(text: string, accent: string): string {
  if (text === '') return accent;
  const dotted = text.replace(/^ı/, 'i').replace(/^ȷ/, 'j').normalize('NFD');
  const [, letter, rest] = /^(\p{L}\p{M}*)(.*)$/su.exec(dotted) ?? [];
  return letter === undefined ? unknown(`${accent}{${text}}`) : letter + MARKS.get(accent) + rest;
}

/** A formula that text can hold without a loss: `$k$`, `$\leq 5$`, `$10^6$`. Null for any other. */
function readFormula(formula: string): string | null {
  const plain = formula
    .replaceAll('-', '−')
    .replaceAll(/(\\[A-Za-z]+) /g, '$1{} ')
    .replaceAll(/\^\{?([−+\d]+)\}?/g, '\\textsuperscript{$1}')
    .replaceAll(/_\{?(\d+)\}?/g, '\\textsubscript{$1}');
  if (/[\^_&']|\\(?:frac|sqrt|sum|prod|mathcal|mathbb|begin|left|right|over)(?![A-Za-z])/.test(plain))
    return null;
  try {
    return parseLatex(plain.replaceAll('$', ''));
  } catch (error) {
    if (error instanceof UnknownLatex) return null;
    throw error;
  }
}
