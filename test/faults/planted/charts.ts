import type { PlantedFault } from './planted-fault.ts';

const WORDS = 'The sentences of a chart are what its table says';
const PICTURE = 'A chart reads right on paper, as a file and without its page';
const ADDRESS = 'The address is the whole state of a chart';

export const FAULTS: readonly PlantedFault[] = [
  {
    name: 'the least value of a chart is its greatest',
    breaks: WORDS,
    file: 'pipeline/charts/summary.ts',
    change: ['one.value < low.value ? one : low', 'one.value > low.value ? one : low'],
    tests: ['test/charts/summaries.test.ts'],
  },
  {
    name: 'a month that is not over is the least of all months',
    breaks: WORDS,
    file: 'pipeline/charts/summary.ts',
    change: ['.filter(({ partial }) => !partial)', ''],
    tests: ['test/charts/summaries.test.ts'],
  },
  {
    name: 'the means of weeks are added up as if they were days',
    breaks: WORDS,
    file: 'pipeline/charts/summary.ts',
    change: ['(amount === unit ? 1 : daysOfRow(cells))', '1'],
    tests: ['test/charts/summaries.test.ts'],
  },
  {
    name: 'a week that is not whole looks like the others',
    breaks: PICTURE,
    file: 'pipeline/charts/kinds/flows.ts',
    change: ['bins.map((bin) => !isWhole(bin, step))', 'bins.map(() => false)'],
    tests: ['test/charts/summaries.test.ts'],
  },
  {
    name: 'a file has the numbers of annotations and not their words',
    breaks: PICTURE,
    file: 'pipeline/charts/drawing/figure.ts',
    change: ['withoutList ? [] :', 'true ? [] :'],
    tests: ['test/charts/annotations.test.ts'],
  },
  {
    name: 'a picture does not name the licence',
    breaks: PICTURE,
    file: 'pipeline/charts/chart.ts',
    change: ['...(organisation ? [`${licenceWords(organisation)}.`] : []),', ''],
    tests: ['test/charts/every-chart.test.ts'],
  },
  {
    name: 'a series that no longer exists gives an empty chart',
    breaks: ADDRESS,
    file: 'pipeline/charts/chart.ts',
    change: ['if (unknown === undefined) return;', 'return;'],
    tests: ['test/charts/every-chart.test.ts'],
  },
  {
    name: 'a chart shows all days, whatever was chosen',
    breaks: ADDRESS,
    file: 'pipeline/charts/chart.ts',
    change: ['within(days, shownDays(range, state))', 'days'],
    tests: ['test/charts/annotations.test.ts'],
  },
  {
    name: 'a chart of a thousand rows ends the run',
    breaks: PICTURE,
    file: 'pipeline/charts/files/chart-formats.ts',
    change: ['Math.min(SCALE, MOST_PIXELS / height)', 'SCALE'],
    tests: ['test/charts/files/rasterise.test.ts'],
  },
  {
    name: 'a text beside the longest bar leaves the picture',
    breaks: PICTURE,
    file: 'pipeline/charts/drawing/rows.ts',
    change: ['clipText(text, room.right - at, LABEL_SIZE, BOLD)', 'text'],
    tests: ['test/charts/odd-data.test.ts'],
  },
  {
    name: 'one state has many addresses',
    breaks: ADDRESS,
    file: 'pipeline/charts/chart-state.ts',
    change: ['if (state[name] === control.default) continue;', ''],
    tests: ['test/charts/chart-state.test.ts'],
  },
];
