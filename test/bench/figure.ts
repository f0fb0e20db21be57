/** One line of the bench's table. */
export interface Figure {
  what: string;
  measured: string;
  reference: string;
  ratio: string;
  bound: string;
  verdict: 'met' | 'MISSED' | '';
}

/** A ratio held against its bound; `unit` is that of both values. */
export function compare(
  what: string,
  value: number,
  reference: number,
  unit: string,
  bound?: number,
): Figure {
  return row(
    what,
    `${value.toFixed(1)} ${unit}`,
    `${reference.toFixed(1)} ${unit}`,
    value / reference,
    bound,
  );
}

function row(what: string, measured: string, reference: string, ratio: number, bound?: number): Figure {
  const verdict = bound === undefined ? '' : ratio <= bound ? 'met' : 'MISSED';
  return {
    what,
    measured,
    reference,
    ratio: ratio.toFixed(2),
    bound: bound === undefined ? '' : `≤ ${bound}`,
    verdict,
  };
}
