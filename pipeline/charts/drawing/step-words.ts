import { formatDay } from '../../words/moment.ts';
import { formatCount } from '../../words/number.ts';
import { formatList } from '../../words/phrase.ts';
import { type Bin, daysFrom, isWhole, type Step } from './days.ts';

/** How flows were added up, for the line below a title. */
export const MEAN_OF_STEP: Record<Step, string> = {
  day: 'by day',
  week: 'means by week',
  month: 'means by month',
  year: 'means by year',
};

/** How levels were picked. */
export const END_OF_STEP: Record<Step, string> = {
  day: 'at the end of each day',
  week: 'at the end of each week, of the last one as far as it goes',
  month: 'at the end of each month, of the last one as far as it goes',
  year: 'at the end of each year, of the last one as far as it goes',
};

/** Which bins are cut, and to how many days; empty where all are whole. `look` is how the picture marks them. */
export function partialWords(
  bins: readonly Pick<Bin<unknown>, 'from' | 'to'>[],
  step: Step,
  look = '',
): string {
  const partial = bins.filter((bin) => !isWhole(bin, step));
  if (partial.length === 0) return '';
  const parts = partial.map(
    ({ from, to }) =>
      `${from === to ? formatDay(from) : `${formatDay(from)} to ${formatDay(to)}`} (${formatCount(daysFrom(from, to), 'day')})`,
  );
  return `Not a whole ${step}${look}: ${formatList(parts)}.`;
}

export const HATCHED = ', and hatched';
