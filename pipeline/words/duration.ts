// Without looking ahead, which patterns in some languages cannot: this one is published. Each line is what may begin there.
const DATE = '[0-9]+Y([0-9]+M)?([0-9]+D)?|[0-9]+M([0-9]+D)?|[0-9]+D';
const TIME = 'T([0-9]+H([0-9]+M)?([0-9]+S)?|[0-9]+M([0-9]+S)?|[0-9]+S)';
/** ISO 8601 without fractions: weeks alone, or years down to seconds. */
export const DURATION = new RegExp(`^P([0-9]+W|(${DATE})(${TIME})?|${TIME})$`);

const DAY = 86_400;
/** Seconds; a year counts as 365 days and a month as 30, since the interval begins at no date. */
const DATE_UNITS = { W: 7 * DAY, Y: 365 * DAY, M: 30 * DAY, D: DAY } as const;
const TIME_UNITS = { H: 3600, M: 60, S: 1 } as const;

/** `P1DT12H` → 129600. `text` has the form of DURATION; infinite for a count of hundreds of digits. */
export function durationSeconds(text: string): number {
  const [date = '', time = ''] = text.slice(1).split('T');
  return total(date, DATE_UNITS) + total(time, TIME_UNITS);
}

function total(part: string, units: Readonly<Record<string, number>>): number {
  const terms = part.matchAll(/([0-9]+)([A-Z])/g);
  return terms.reduce((sum, [, count, unit]) => sum + Number(count) * units[unit!]!, 0);
}
