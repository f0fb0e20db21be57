import { ACCENTS, SYMBOLS } from './latex.ts';

/** Accents that reading knows and writing does not need. */
const READ_ACCENTS = { ...ACCENTS, '\u0323': 'd', '\u0331': 'b' };
const MARKS = new Map(Object.entries(READ_ACCENTS).map(([mark, command]) => [command, mark]));

const GREEK = [
  ...[
    'alpha',
    'beta',
    'gamma',
    'delta',
    'epsilon',
    'zeta',
    'eta',
    'theta',
    'iota',
    'kappa',
    'lambda',
    'mu',
    'nu',
  ],
  ...['xi', 'omicron', 'pi', 'rho', '', 'sigma', 'tau', 'upsilon', 'phi', 'chi', 'psi', 'omega'],
].flatMap((name, index): [string, string][] => [
  [name, String.fromCodePoint(0x3b1 + index)],
  [name.slice(0, 1).toUpperCase() + name.slice(1), String.fromCodePoint(0x391 + index)],
]);

/** Commands that stand for a text, besides those that are written. The marks around a quotation and blanks are commands as well. */
const READ_SYMBOLS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(SYMBOLS).flatMap(([text, latex]) => {
      const name = /^[${]*\\([A-Za-z]+)/.exec(latex)?.[1];
      return name === undefined ? [] : [[name, text]];
    }),
  ),
  ...Object.fromEntries(GREEK),
  ...{
    aa: 'å',
    AA: 'Å',
    i: 'ı',
    j: 'ȷ',
    dh: 'ð',
    DH: 'Ð',
    dj: 'đ',
    DJ: 'Đ',
    th: 'þ',
    TH: 'Þ',
    ng: 'ŋ',
    NG: 'Ŋ',
  },
  ...{
    SS: 'ẞ',
    P: '¶',
    textsection: '§',
    textparagraph: '¶',
    pounds: '£',
    textsterling: '£',
    euro: '€',
    texteuro: '€',
  },
  ...{
    textyen: '¥',
    textcent: '¢',
    textdollar: '$',
    textpercent: '%',
    textunderscore: '_',
    textampersand: '&',
  },
  ...{ copyright: '©', textregistered: '®', texttrademark: '™', textordfeminine: 'ª', textordmasculine: 'º' },
  ...{
    dots: '…',
    textellipsis: '…',
    textendash: '–',
    textemdash: '—',
    textquotesingle: "'",
    textasciigrave: '`',
  },
  ...{
    textquoteleft: '‘',
    textquoteright: '’',
    textquotedblleft: '“',
    textquotedblright: '”',
    quotedblbase: '„',
  },
  ...{
    lq: '‘',
    rq: '’',
    glqq: '„',
    grqq: '“',
    flqq: '«',
    frqq: '»',
    guillemotleft: '«',
    guillemotright: '»',
  },
  ...{
    textexclamdown: '¡',
    textquestiondown: '¿',
    textbullet: '•',
    textmu: 'µ',
    texttimes: '×',
    textdiv: '÷',
  },
  ...{
    textpm: '±',
    textminus: '−',
    textrightarrow: '→',
    textleftarrow: '←',
    textonehalf: '½',
    textdagger: '†',
  },
  ...{
    hyphen: '-',
    cprime: 'ʹ',
    slash: '/',
    space: ' ',
    quad: ' ',
    qquad: ' ',
    newline: ' ',
    null: '',
    par: ' ',
    TeX: 'TeX',
    LaTeX: 'LaTeX',
    BibTeX: 'BibTeX',
  },
  ...{
    le: '≤',
    ge: '≥',
    ne: '≠',
    to: '→',
    leftarrow: '←',
    cdot: '·',
    ldots: '…',
    infty: '∞',
    approx: '≈',
    sim: '∼',
  },
  ...{
    in: '∈',
    sum: '∑',
    prod: '∏',
    sqrt: '√',
    partial: '∂',
    nabla: '∇',
    propto: '∝',
    equiv: '≡',
    circ: '∘',
    ell: 'ℓ',
  },
  ...{ ',': ' ', ' ': ' ', ';': ' ', ':': ' ', '!': '', '-': '', '/': '', '@': '', '\\': ' ', '\n': ' ' },
  ...{ '&': '&', '%': '%', $: '$', '#': '#', _: '_', '{': '{', '}': '}', '|': '‖' },
};

/** Commands that change the look of what follows, up to the end of its braces. */
const DECLARATIONS = new Set(
  'em it bf sc tt rm sf sl itshape bfseries scshape ttfamily rmfamily sffamily slshape upshape mdseries normalfont small relax protect'.split(
    ' ',
  ),
);

/** Commands whose last argument is the text, with their number of arguments. */
const WRAPPERS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    'emph textit textbf texttt textsc textrm textsf textsl textup textmd textnormal text mbox hbox underline url path nolinkurl mkbibemph mkbibbold NoCaseChange uppercase lowercase mathrm operatorname mathit mathbf mathsf mathcal mathbb'
      .split(' ')
      .map((name) => [name, 1]),
  ),
  ...{ noopsort: 2, href: 2, texorpdfstring: 2, foreignlanguage: 2, textcolor: 2 },
};

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

/** A formula as TeX and Pandoc see it, so that “$5 and $6” is none. */
const FORMULA = /\$(?!\s)((?:\\.|[^$\\])+?)(?<!\s)\$(?!\d)/sy;

export class UnknownLatex extends Error {}

/**
 * The plain text of LaTeX as it stands in bibliographies: accents, symbols and quotation marks become characters, braces and fonts
 * vanish, white space becomes one blank. A formula that is more than letters, digits and symbols stays as it is written. Throws UnknownLatex for a
 * command that this module does not know, because leaving it out would change the text.
 */
export function parseLatex(latex: string): string {
  const reader = new Reader(latex);
  return reader.text('').replaceAll(/\s+/g, ' ').trim().normalize('NFC');
}

class Reader {
  readonly #latex: string;
  #at = 0;

  constructor(latex: string) {
    this.#latex = latex;
  }

  /** Up to `end`, which is consumed. */
  text(end: '' | '}'): string {
    let text = '';
    while (this.#at < this.#latex.length) {
      const sign = this.#latex[this.#at]!;
      if (sign === '}') {
        this.#at += 1;
        if (end === '}') return text;
      } else text += this.#next(sign);
    }
    return text;
  }

  #next(sign: string): string {
    if (sign === '{') {
      this.#at += 1;
      return this.text('}');
    }
    if (sign === '\\') return this.#command();
    if (sign === '$') {
      const formula = this.#take(FORMULA);
      if (formula) return readFormula(formula[1]!) ?? formula[0];
    }
    const [ligature] = this.#take(/---|--|``|''|[?!]`|~|`/y) ?? [];
    if (ligature !== undefined) return LIGATURES[ligature]!;
    this.#at += 1;
    return sign;
  }

  #command(): string {
    this.#at += 1;
    const mark = this.#take(/[`'^"~=.]|[uvHcdkrb](?![A-Za-z])/y)?.[0];
    if (mark !== undefined) return this.#accented(MARKS.get(mark)!, mark);
    const formula = this.#take(/\((.*?)\\\)/sy);
    if (formula) return readFormula(formula[1]!) ?? `$${formula[1]}$`;
    // TeX ignores the blanks after a command of letters.
    const name = this.#take(/([A-Za-z]+)\*?\s*/y)?.[1] ?? this.#take(/[\s\S]/y)?.[0] ?? '';
    if (Object.hasOwn(READ_SYMBOLS, name)) return READ_SYMBOLS[name]!;
    if (DECLARATIONS.has(name)) return '';
    const transform = TRANSFORMS[name];
    if (transform) {
      const argument = this.#argument();
      return transform(argument) ?? this.#unknown(`${name}{${argument}}`);
    }
    const count = WRAPPERS[name] ?? this.#unknown(name);
    return Array.from({ length: count }, () => this.#argument()).at(-1)!;
  }

  #unknown(name: string): never {
    throw new UnknownLatex(`\\${name}`);
  }

  /** `\'{e}`, `\'e`, `\'{\i}`, `\'\i`; `\~{}` is the sign itself. */
  #accented(mark: string, sign: string): string {
    const argument = this.#argument();
    if (argument === '') return sign;
    const dotted = argument.replace(/^ı/, 'i').replace(/^ȷ/, 'j').normalize('NFD');
    const [letter, rest] = /^(\p{L}\p{M}*)(.*)$/su.exec(dotted)?.slice(1) ?? [];
    return letter === undefined ? this.#unknown(`${sign}{${argument}}`) : `${letter}${mark}${rest}`;
  }

  /** The text in braces, or one character or command. */
  #argument(): string {
    this.#take(/\s+/y);
    const sign = this.#latex[this.#at];
    return sign === undefined || sign === '}' ? '' : this.#next(sign);
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#latex);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }
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
