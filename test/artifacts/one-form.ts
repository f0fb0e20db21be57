import { expect } from 'vitest';

const FORMS = {
  amount: /^\d+\.\d{6}$/,
  decimal: /^-?\d+\.\d+$/,
  integer: /^-?\d+$/,
  moment: /^\d{4}-\d\d-\d\d/,
} as const;

/** All cells of a column are of one form, so that a program which reads the first of them knows the others. */
export function assertOneForm(cells: readonly string[], place: string, form?: keyof typeof FORMS): void {
  const filled = cells.filter((cell) => cell !== '');
  const [first] = filled;
  if (first === undefined) return;
  const known = form ?? (['decimal', 'integer', 'moment'] as const).find((one) => FORMS[one].test(first));
  // A column of texts may have one that looks like a number.
  if (known)
    expect(
      filled.filter((cell) => !FORMS[known].test(cell)),
      place,
    ).toEqual([]);
}
