import type { PlantedFault } from './planted-fault.ts';

const VERDICT =
  'Does not hold means that a proof failed, and nothing else; proved is never said where a step does not hold';
const ROWS = 'Rows are those of one release, and the page asks before it reads more than the reader expects';
const RECORDS = 'The page of a record has what the files say of it';
const STEPS = ['test/site/tools.test.ts'];
const TABLES = ['test/site/rows.test.ts'];
const PAGES = ['test/contract/pages.test.ts'];

export const FAULTS: readonly PlantedFault[] = [
  {
    name: 'a host that does not answer is said to contradict itself',
    breaks: VERDICT,
    file: 'src/site/layout/steps.ts',
    change: ["return code === 'mirror_unreachable';", 'return false;'],
    tests: STEPS,
  },
  {
    name: 'a step that failed is said to have had nothing to check',
    breaks: VERDICT,
    file: 'src/site/layout/steps.ts',
    change: ['new Uncheckable() : new Failed()', 'new Uncheckable() : new Uncheckable()'],
    tests: STEPS,
  },
  {
    name: 'the page of verification says proved beside a step that does not hold',
    breaks: VERDICT,
    file: 'src/site/verification/prove-pasted.ts',
    change: ['if (steps.failed > 0)', 'if (steps.failed > 1)'],
    tests: STEPS,
  },
  {
    name: 'a step that began again keeps its fault',
    breaks: VERDICT,
    file: 'src/site/layout/steps.ts',
    change: ['this.#unreached.clear();', ''],
    tests: STEPS,
  },
  {
    name: 'parts of two releases make a file',
    breaks: ROWS,
    file: 'src/site/explore/rows/remote-file.ts',
    change: ['(known !== undefined && etag !== known)', 'false'],
    tests: TABLES,
  },
  {
    name: 'a selection reads as much as it takes without asking',
    breaks: ROWS,
    file: 'src/site/explore/rows/table-rows.ts',
    change: ['if (bytes > allowed) throw new NeedsConsent(bytes, use);', ''],
    tests: TABLES,
  },
  {
    name: 'a group is left out although its greatest value is the one that is asked for',
    breaks: ROWS,
    file: 'src/site/explore/rows/select-rows.ts',
    change: ['most >= from && least <= end', 'most > from && least <= end'],
    tests: TABLES,
  },
  {
    name: 'a day in a column of times stands for its midnight alone',
    breaks: ROWS,
    file: 'src/site/explore/rows/select-rows.ts',
    change: ['text.length === 10 ? `${text}~`', 'text.length === 10 ? `${text}T00:00:00`'],
    tests: TABLES,
  },
  {
    name: 'rows that are asked for as of a time are those of today, without a word',
    breaks: ROWS,
    file: 'src/site/explore/rows/selection.ts',
    change: ['if (asOf !== null)', 'if (false)'],
    tests: TABLES,
  },
  {
    name: 'rows without a value come first in one of the orders',
    breaks: ROWS,
    file: 'src/site/explore/rows/select-rows.ts',
    change: ['...rows.filter((row) => !has(row))', ''],
    tests: TABLES,
  },
  {
    name: 'the page of a decision leaves out why',
    breaks: RECORDS,
    file: 'src/site/records/DecisionPage.astro',
    change: ["{one.reasoning === '' ?", '{true ?'],
    tests: PAGES,
  },
  {
    name: 'positions lose their anchors, which their JSON-LD names',
    breaks: RECORDS,
    file: 'src/site/records/DeliberationPage.astro',
    change: ['id: `${name}-${index + 1}`,', 'id: `${name}-${index}`,'],
    tests: PAGES,
  },
  {
    name: 'what programs read of a record does not say what it is called',
    breaks: RECORDS,
    file: 'src/site/records/RecordPage.astro',
    change: ['  name: view.heading,\n', ''],
    tests: PAGES,
  },
  {
    name: 'the citation of a record does not say which one it is of',
    breaks: RECORDS,
    file: 'src/site/records/archive.ts',
    change: ['`${capitalise(term)} ${id}: ${topic}`', '`${capitalise(term)}: ${topic}`'],
    tests: PAGES,
  },
];
