import fc from 'fast-check';

/** Numbers as JSON writes them: of each size and spelling, and the ones that readers are known to change. */
export const numberTexts = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => `${value}`),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map((value) => `${value}`),
  fc.bigInt({ min: 2n ** 53n - 4n, max: 2n ** 53n + 4n }).map((value) => `${value}`),
  fc
    .tuple(
      fc.bigInt({ min: 0n, max: 10n ** 19n }),
      fc.stringMatching(/^\d{1,25}$/),
      fc.integer({ min: -330, max: 330 }),
    )
    .map(([whole, fraction, power]) => `${whole}.${fraction}e${power}`),
  fc.constantFrom(
    ...'1e999 -1e999 1e-400 5e-324 4e-324 59645453908584171 12345678901.123456 0.10000000000000001 1.0'.split(
      ' ',
    ),
    ...'1.50 -0 1E5 1e+2 18014398509481984 1152921504606846976 100000000000000000000 6.02e23'.split(' '),
  ),
);

/** Amounts as an event may have them: at most 15 digits and 6 places. */
export const amountTexts = fc.oneof(
  fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }), fc.stringMatching(/^\d{1,6}$/))
    .map(([whole, fraction]) => `${whole}.${fraction}`),
  fc.constantFrom('999999999999999.999999', '12345678901.123456', '0.000001', '999999999999999', '0.1'),
);

/** Mantissa and power of ten. */
function parts(text: string): [bigint, number] {
  const [, sign, whole = '', fraction = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(
    text,
  )!;
  return [BigInt(`${sign}${BigInt(whole + fraction)}`), Number(power) - fraction.length];
}

/** Whether two texts denote the same number, by whole numbers alone. */
export function isSameNumber(a: string, b: string): boolean {
  const [[one, low], [other, high]] = [parts(a), parts(b)].sort((x, y) => x[1] - y[1]) as [
    [bigint, number],
    [bigint, number],
  ];
  return one === other * 10n ** BigInt(high - low);
}

/** Whether a JSON number can hold it: its double is printed as the same number, and every program reads a whole one. */
export function fitsNumber(text: string): boolean {
  const number = Number(text);
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(number);
  return Number.isFinite(number) && isSameNumber(text, `${number}`);
}
