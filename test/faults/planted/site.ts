import type { PlantedFault } from './planted-fault.ts';

const SAME = 'A resumed run gives the pages that a rebuild gives';
const NEXT_RUN = ['test/build/site/next-run.test.ts'];

export const FAULTS: readonly PlantedFault[] = [
  {
    name: 'the page before a new one does not learn of it',
    breaks: SAME,
    file: 'src/site/components/explore/archive-pages.ts',
    change: ['.slice(Math.max(0, first - 1))', '.slice(first)'],
    tests: NEXT_RUN,
  },
  {
    name: 'an archive keeps the pages that new rows touch',
    breaks: SAME,
    file: 'pipeline/build/site/make-pages.ts',
    change: ['new Set(paths).difference(new Set(touched))', 'new Set(paths)'],
    tests: NEXT_RUN,
  },
];
