/** A day of the Gregorian calendar in ISO order. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * What is wrong with the day in a field of `DateField.astro`: a sentence that says what is expected; empty if nothing is. An empty
 * field is right unless it is required.
 */
export function dayFault({ value, required, dataset: { min, max } }: HTMLInputElement): string {
  const day = value.trim();
  if (day === '') return required ? `Enter a day as YYYY-MM-DD${extent(min, max)}.` : '';
  if (!DAY.test(day)) return `“${day}” is not a day as YYYY-MM-DD, for example ${max ?? '2026-11-22'}.`;
  // Date.parse accepts 30 February.
  const time = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(time.getTime()) || !time.toISOString().startsWith(day))
    return `The calendar has no ${day}.`;
  const isOutside = (min !== undefined && day < min) || (max !== undefined && day > max);
  return isOutside ? `${day} is outside the data. Enter a day${extent(min, max)}.` : '';
}

function extent(min: string | undefined, max: string | undefined): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` from ${min} on`;
  return max === undefined ? '' : ` up to ${max}`;
}
