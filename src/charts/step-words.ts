import type { Step } from './days.ts';

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
  week: 'at the end of each week',
  month: 'at the end of each month',
  year: 'at the end of each year',
};
