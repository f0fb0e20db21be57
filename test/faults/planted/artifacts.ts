import type { PlantedFault } from './planted-fault.ts';

const RELEASE = ['test/contract/release.test.ts'];
const RESTRICTED = ['test/contract/restricted.test.ts'];
const ONE_NUMBER = 'All numbers come from one pure function, by written rules';

export const FAULTS: readonly PlantedFault[] = [
  {
    name: 'an amount of 12.5 is read as 12.000005',
    breaks: 'Amounts are integers in millionths of a MIC',
    file: 'pipeline/model/amount.ts',
    change: [".padEnd(PLACES, '0'));", ".padStart(PLACES, '0'));"],
    tests: RELEASE,
  },
  {
    name: 'a burn does not count',
    breaks: ONE_NUMBER,
    file: 'pipeline/model/handlers/supply.ts',
    change: ['  state.supply.burned += amount;\n', ''],
    tests: RELEASE,
  },
  {
    name: 'an unlock locks',
    breaks: ONE_NUMBER,
    file: 'pipeline/model/handlers/supply.ts',
    change: [
      'moveLocked(state, event.data.contract, -amount);',
      'moveLocked(state, event.data.contract, amount);',
    ],
    tests: RELEASE,
  },
  {
    name: 'the threshold falls with the natural logarithm of the supply',
    breaks: ONE_NUMBER,
    file: 'pipeline/model/formulas.ts',
    change: ['Math.log10(totalSupply / 1e6)', 'Math.log(totalSupply / 1e6)'],
    tests: RELEASE,
  },
  {
    name: 'a mint that does not follow the formula is no finding',
    breaks: 'An event that breaks a rule counts, and the service publishes an alert',
    file: 'pipeline/model/handlers/supply.ts',
    change: ['const REWARD_TOLERANCE = 1n;', 'const REWARD_TOLERANCE = 100_000_000_000n;'],
    tests: RELEASE,
  },
  {
    name: 'a share of nothing is 0',
    breaks: 'Nothing that was not measured looks like a result',
    file: 'pipeline/model/formulas.ts',
    change: ['return of === 0 ? null : count / of;', 'return of === 0 ? 0 : count / of;'],
    tests: RELEASE,
  },
  {
    name: 'a text that a spreadsheet runs is a cell as it is',
    breaks: 'No cell of a CSV is a formula',
    file: 'pipeline/artifacts/format/csv.ts',
    change: ["FORMULA.test(cell) ? `'${cell}` : cell;", 'FORMULA.test(cell) ? `${cell}` : cell;'],
    tests: RELEASE,
  },
  {
    name: 'a quote in a cell is not doubled',
    breaks: 'A CSV is as in RFC 4180',
    file: 'pipeline/artifacts/format/stringify-row.ts',
    change: ['stringify([cells])', `stringify([cells], { escape: '' })`],
    tests: RELEASE,
  },
  {
    name: 'a quote in a cell of the audit trail is not doubled',
    breaks: 'A CSV is as in RFC 4180',
    file: 'pipeline/artifacts/format/csv-row.ts',
    change: [`cell.replaceAll('"', '""')`, `cell.replaceAll('"', '"')`],
    tests: RELEASE,
  },
  {
    name: 'an amount has as few decimal places as it needs in CSV',
    breaks: 'An amount has all six places, so that programs infer its type from any row',
    file: 'pipeline/model/amount.ts',
    change: [
      'return `${sign}${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`;',
      "return `${sign}${digits.slice(0, -PLACES)}.${digits.slice(-PLACES).replace(/0$/, '')}`;",
    ],
    tests: RELEASE,
  },
  {
    name: 'an event with an unknown member is published as a line',
    breaks: 'A line of the log is public only if a public file shows each of its members',
    file: 'pipeline/ledger/log/public-events.ts',
    // Both checks: while all described members are shown, either refuses it.
    change: [
      'Object.keys(data).every((member) => decision.members.includes(member)) &&\n    isDescribed(EVENT_DATA[type], data)',
      'Object.keys(data).length > 0',
    ],
    tests: RESTRICTED,
  },
  {
    name: 'an event with an unknown member inside a list is published as a line',
    breaks: 'A line of the log is public only if a public file shows each of its members',
    file: 'pipeline/ledger/log/public-events.ts',
    change: [
      'Object.hasOwn(schema.shape, name) && isDescribed(schema.shape[name], member)',
      'schema.shape[name] === undefined || isDescribed(schema.shape[name], member)',
    ],
    tests: ['test/ledger/log/public-events.test.ts'],
  },
  {
    name: 'the projections of policies need no key',
    breaks: 'Restricted files need a key',
    file: 'pipeline/artifacts/government/policy-impact.ts',
    change: ['restricted: true', 'restricted: false'],
    tests: RELEASE,
  },
  {
    name: 'the compliance report needs no key',
    breaks: 'Restricted files need a key',
    file: 'pipeline/artifacts/government/compliance-report.ts',
    change: ['restricted: true', 'restricted: false'],
    tests: RELEASE,
  },
  {
    name: 'a cell of a workbook is not escaped',
    breaks: 'Every program reads every format',
    file: 'pipeline/formats/workbook-xml.ts',
    change: [".replaceAll('&', '&amp;')", ".replaceAll('&', '&')"],
    tests: RELEASE,
  },
  {
    name: 'a summary in a feed is not escaped',
    breaks: 'No text of the ledger is markup',
    file: 'pipeline/formats/catalogue/feeds.ts',
    change: [
      '<summary type="text">${escapeXml(summary)}</summary>',
      '<summary type="text">${summary}</summary>',
    ],
    tests: ['test/formats/catalogue/feeds.test.ts'],
  },
  {
    name: 'a feed gives the time of the update as that of the publication',
    breaks: 'Feeds state when a record was published and when it was updated',
    file: 'pipeline/formats/catalogue/feeds.ts',
    change: ['date_published: published,', 'date_published: updated,'],
    tests: RELEASE,
  },
  {
    name: 'an amount is text in NDJSON',
    breaks: 'Columns have their type in every format',
    file: 'pipeline/formats/ndjson.ts',
    change: [
      "return type === 'decimal' && value !== null ? (value as string) : JSON.stringify(value);",
      'return JSON.stringify(value);',
    ],
    tests: RELEASE,
  },
  {
    name: 'a catalogue lists restricted files as downloads',
    breaks: 'Restricted files are never listed in public catalogues',
    file: 'pipeline/formats/catalogue/catalogue.ts',
    change: ['downloads: restricted ? [] : downloadsOf(', 'downloads: downloadsOf('],
    tests: ['test/formats/catalogue/catalogues.test.ts'],
  },
  {
    name: 'a catalogue promises the hash of a real-time file',
    breaks: 'No catalogue promises a hash that a download does not have',
    file: 'pipeline/formats/catalogue/catalogue.ts',
    change: [
      "mediaType !== 'application/pdf' && !LIVE_PATHS.includes(path)",
      "mediaType !== 'application/pdf'",
    ],
    tests: ['test/formats/catalogue/catalogues.test.ts'],
  },
  {
    name: 'the rows of a day are upside down in other formats',
    breaks: 'Every format has the rows of a table, the oldest day first and each day as in the file',
    file: 'pipeline/formats/history-rows.ts',
    change: ['...rows.slice(begin, end).reverse()', '...rows.slice(begin, end)'],
    tests: ['test/formats/history-rows.test.ts'],
  },
  {
    name: 'a block of rows has rows of two years',
    breaks: 'The files of a closed year have its rows and no others',
    file: 'pipeline/formats/write-tables.ts',
    change: [' || (block.length > 0 && rowYear !== year)', ''],
    tests: ['test/contract/release.test.ts'],
  },
];
