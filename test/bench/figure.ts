/** One line of the bench's table. */
export interface Figure {
  what: string;
  measured: string;
  reference: string;
  ratio: string;
  bound: string;
  verdict: 'met' | 'MISSED' | '';
}

/** A ratio that is not to be above its bound; `unit` is that of both values. */
export function compare(
  what: string,
  value: number,
  reference: number,
  unit: string,
  bound?: number,
): Figure {
  const ratio = value / reference;
  return {
    what,
    measured: `${value.toFixed(1)} ${unit}`,
    reference: `${reference.toFixed(1)} ${unit}`,
    ratio: ratio.toFixed(2),
    bound: bound === undefined ? '' : `≤ ${bound}`,
    verdict: bound === undefined ? '' : ratio <= bound ? 'met' : 'MISSED',
  };
}

/** A ratio that is not to be below its bound. */
export function atLeast(what: string, value: number, reference: number, unit: string, bound: number): Figure {
  const verdict = value / reference >= bound ? 'met' : 'MISSED';
  return { ...compare(what, value, reference, unit), bound: `≥ ${bound}`, verdict };
}
