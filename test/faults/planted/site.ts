import type { PlantedFault } from './planted-fault.ts';

const SAME = 'A resumed run gives the pages that a rebuild gives';
const DATA = 'Data are published whatever becomes of the site and the PDFs, and the state says so';
const PARTS = ['test/build/publish-parts.test.ts'];
const ON_REQUEST = 'Pages of a release that is not complete are rendered from its own files';
const PAGES = ['test/sidecar/pages/pages-on-request.test.ts'];
const NEXT_RUN = ['test/build/site/next-run.test.ts'];
const FIRST_SCREEN = 'The first screen of a portal has its key figures and its main chart';
const NAMES = 'A screen reader gets a name for each link, button, field and picture';
const IN_BROWSER = ['test/contract/pages-browser.test.ts'];
const STYLED = ['test/site/styles.test.ts'];

export const FAULTS: readonly PlantedFault[] = [
  {
    name: 'the page before a new one does not learn of it',
    breaks: SAME,
    file: 'src/site/records/archives.ts',
    change: ['.slice(Math.max(0, first - 1))', '.slice(first)'],
    tests: NEXT_RUN,
  },
  {
    name: 'an archive keeps the pages that new rows touch',
    breaks: SAME,
    file: 'pipeline/build/site/make-site.ts',
    change: ['new Set(paths).difference(new Set(touched))', 'new Set(paths)'],
    tests: NEXT_RUN,
  },
  {
    name: 'nothing is published where the site fails',
    breaks: DATA,
    file: 'pipeline/build/publish-parts.ts',
    change: ["if (!isOfSite || contents.upTo !== 'pages') throw error;", 'throw error;'],
    tests: PARTS,
  },
  {
    name: 'a browser that fails takes the pages with it',
    breaks: DATA,
    file: 'pipeline/build/publish-parts.ts',
    change: ['const isPrinting = error === printFault;', 'const isPrinting = false;'],
    tests: PARTS,
  },
  {
    name: 'the report forgets what failed',
    breaks: DATA,
    file: 'pipeline/build/publish-parts.ts',
    change: ['failure ??= error;', ''],
    tests: PARTS,
  },
  {
    name: 'the first data are published as a snapshot, which lacks the reports for ever',
    breaks: DATA,
    file: 'pipeline/build/publish-parts.ts',
    change: ['publish(DATA_ONLY, false)', 'publish(DATA_ONLY, true)'],
    tests: PARTS,
  },
  {
    name: 'a run that left something out is said to have published all of it',
    breaks: DATA,
    file: 'src/scheduler/record-run.ts',
    change: ['if (lacks.length === 0) return', 'if (failure === null) return'],
    tests: ['test/scheduler/record-run.test.ts'],
  },
  {
    name: 'pages are rendered for a release that is to have none',
    breaks: ON_REQUEST,
    file: 'src/sidecar/pages/pages-on-request.ts',
    change: ["isCurrent && status.release!.lacks.includes('pages')", 'isCurrent'],
    tests: PAGES,
  },
  {
    name: 'any address is rendered',
    breaks: ON_REQUEST,
    file: 'src/sidecar/pages/pages-on-request.ts',
    change: ['if (has(address))', 'if (address !== null)'],
    tests: PAGES,
  },
  {
    name: 'a damaged style is sent',
    breaks: ON_REQUEST,
    file: 'src/sidecar/pages/pages-on-request.ts',
    change: ['if (found !== expected) throw', 'if (found === expected) throw'],
    tests: PAGES,
  },
  {
    name: 'a portal has no key figures',
    breaks: FIRST_SCREEN,
    file: 'src/site/portals/PortalPage.astro',
    change: ['<KeyFigures readers={AREA_FIGURES[area]} />', ''],
    tests: IN_BROWSER,
  },
  {
    name: 'the parts of a portal that are one click away are open',
    breaks: FIRST_SCREEN,
    file: 'src/site/layout/Fold.astro',
    change: ['<details class="fold printed">', '<details class="fold printed" open>'],
    tests: IN_BROWSER,
  },
  {
    name: 'the button of the search has a picture and no name',
    breaks: NAMES,
    file: 'src/site/layout/Header.astro',
    change: ['<span class="visually-hidden">Search</span>', ''],
    tests: IN_BROWSER,
  },
  {
    name: 'a component loses the class that its style sheet names',
    breaks: 'A style sheet has nothing that no component uses',
    file: 'src/site/layout/Header.astro',
    change: ['class="wordmark"', ''],
    tests: STYLED,
  },
  {
    name: 'the search finds what has one of the words',
    breaks: 'An entry is found if it has every word of the query',
    file: 'src/site/reference/search/search-engine.ts',
    change: ['else return 0;', 'else score += 0;'],
    tests: ['test/site/search-engine.test.ts'],
  },
  {
    name: 'muted words are too pale on paper',
    breaks: 'Text has a contrast of 4.5 : 1, in light and in dark',
    file: 'src/site/styles/tokens.css',
    change: ['--muted: light-dark(#5d5950,', '--muted: light-dark(#8d8980,'],
    tests: ['test/site/colours.test.ts'],
  },
];
