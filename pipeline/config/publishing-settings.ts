import { z } from 'zod';
import { integer, origin, pathOrAddress, type Setting, text, truth } from './setting.ts';

const CIVIC = /^civic\+(https?:\/\/.+)$/;

/** Where a ledger is: a folder, or a remote ledger that is imported into a folder first. */
export type LedgerSource = { kind: 'directory'; path: string } | { kind: 'civic'; url: string };

const ledgerSource = pathOrAddress('civic+').transform((value): LedgerSource => {
  const [, url] = CIVIC.exec(value) ?? [];
  return url === undefined
    ? { kind: 'directory', path: value }
    : { kind: 'civic', url: url.replace(/\/+$/, '') };
});

/** What a run reads, and what it publishes. */
export const PUBLISHING_SETTINGS = {
  ledger: {
    flag: 'ledger',
    env: 'CATHEDRAL_LEDGER',
    default: 'var/ledger',
    unit: 'a folder, or civic+http(s)://… for a remote ledger',
    description: 'The ledger to publish. The default is where the sample ledger is written.',
    path: true,
    schema: ledgerSource,
  },
  checkedLedger: {
    flag: 'ledger',
    env: 'CATHEDRAL_LEDGER',
    default: null,
    unit: 'a folder, or civic+http(s)://… for a remote ledger',
    description:
      'For `check`: the ledger to make everything again from. Without it, the release is compared with its own manifest only.',
    path: true,
    schema: ledgerSource,
  },
  followedLedger: {
    flag: 'ledger',
    env: 'CATHEDRAL_LEDGER',
    default: null,
    unit: 'a folder, or civic+http(s)://… for a remote ledger',
    description:
      'For `serve`: the ledger whose newest events real-time paths answer with. Without it they answer from the release.',
    path: true,
    schema: ledgerSource,
  },
  importInterval: {
    flag: 'import-interval',
    env: 'CATHEDRAL_IMPORT_INTERVAL',
    default: '60',
    unit: 'seconds, 1 to 86400',
    description:
      'How often the server asks a remote ledger for new events. A minute is polite; while it is down it is asked less often.',
    schema: integer(1, 86_400),
  },
  ledgerKey: {
    flag: 'ledger-key',
    env: 'CATHEDRAL_LEDGER_KEY',
    default: 'data/keys/ledger.vkey',
    unit: 'a file of verifier keys, one a line',
    description:
      'Who may sign the ledger: of these keys one must have signed each checkpoint. The default is the key of the sample ledger, so set it with the ledger.',
    path: true,
    schema: text,
  },
  importFolder: {
    flag: 'import-folder',
    env: 'CATHEDRAL_IMPORT_FOLDER',
    default: 'var/imported',
    unit: 'a folder',
    description:
      'Where a remote ledger is imported to. Back it up: an event that came late keeps its place only here.',
    path: true,
    schema: text,
  },
  importKey: {
    flag: 'import-key',
    env: 'CATHEDRAL_IMPORT_KEY',
    default: 'var/keys/import.key',
    unit: 'a file of 64 hex digits',
    description:
      'The secret that imported snapshots are signed and salted with; made by the first import. With another one the same events have other hashes: back it up.',
    path: true,
    schema: text,
  },
  publisherKey: {
    flag: 'publisher-key',
    env: 'CATHEDRAL_PUBLISHER_KEY',
    default: 'var/keys/publisher.key',
    unit: 'a file',
    description:
      'The secret keys that sign each release; made by the first run, for its owner alone to read. What was signed is on record in a folder beside it. Back up both: without the key, no release follows that readers accept unasked.',
    path: true,
    schema: text,
  },
  publisherName: {
    flag: 'publisher-name',
    env: 'CATHEDRAL_PUBLISHER_NAME',
    default: '{baseUrl}',
    unit: 'a name without spaces and plus signs, at most 200 characters; of an address, the part after ://',
    description:
      'The name of the publisher’s key when it is made. It is part of the key: a key that is there keeps its own.',
    schema: text
      .transform((value) => value.replace(/^https?:\/\//, ''))
      .pipe(
        z
          .string()
          .max(200)
          .regex(/^[^\s+\p{Cc}]+$/u),
      ),
  },
  overlapDays: {
    flag: 'overlap-days',
    env: null,
    default: '30',
    unit: 'days, 0 to 3650',
    description:
      'For `publisher retire`: how old the new key must be. Who looks more rarely than this may not have learnt of it.',
    schema: integer(0, 3650),
  },
  givesUp: {
    flag: 'gives-up',
    env: null,
    default: null,
    unit: '8 hex digits, the id in a verifier key',
    description: 'For `publisher replace`: the key that is given up, so that it is not done by mistake.',
    schema: z.string().regex(/^[0-9a-f]{8}$/),
  },
  out: {
    flag: 'out',
    env: 'CATHEDRAL_OUT',
    default: 'var/data',
    unit: 'a folder',
    description:
      'Where releases are published. Back up its folder `snapshots`; the rest is made again from that and the ledger.',
    path: true,
    schema: text,
  },
  snapshotDays: {
    flag: 'snapshot-days',
    env: 'CATHEDRAL_SNAPSHOT_DAYS',
    default: '366',
    unit: 'days, 0 to 36500',
    description:
      'For how long every snapshot is kept; of the months before, the last one each. A year of four a day takes as much room as 1464 times the data files that change with each release, histories left out.',
    schema: integer(0, 36_500),
  },
  givesUpSnapshots: {
    flag: 'gives-up-snapshots',
    env: null,
    default: 'false',
    unit: 'true or false',
    description:
      'For `build`: publishes although snapshots that were signed are missing, and nobody has them any more. Their addresses are lost for good.',
    switch: true,
    schema: truth,
  },
  snapshot: {
    flag: 'snapshot',
    env: null,
    default: null,
    unit: 'the id of a snapshot, 2025-12-01T06Z',
    description: 'For `as-of`: which snapshot.',
    schema: z.string().regex(/^\d{4}-\d\d-\d\dT(00|06|12|18)Z$/),
  },
  into: {
    flag: 'into',
    env: null,
    default: null,
    unit: 'a folder that is not there',
    description:
      'For `as-of`: where the files that were made again are put, histories too. Without it they are removed.',
    path: true,
    schema: text,
  },
  documents: {
    flag: 'documents',
    env: 'CATHEDRAL_DOCUMENTS',
    default: 'data/documents',
    unit: 'a folder',
    description:
      'The documents that people write: treaty framework, standards, protocols, papers, citations.',
    path: true,
    schema: text,
  },
  baseUrl: {
    flag: 'base-url',
    env: 'CATHEDRAL_BASE_URL',
    default: 'http://localhost:{port}',
    unit: 'http(s)://host[:port], in lower case, with no path or slash after it and no port that goes without saying',
    description:
      'The address under which readers reach the service, which has a host of its own: pages link from the root, so a path would break them. It is printed in citations, pages and PDFs, so a change makes a new release.',
    schema: origin,
  },
  contact: {
    flag: 'contact',
    env: 'CATHEDRAL_CONTACT',
    default: 'contact@data.example.org',
    unit: 'an e-mail address',
    description:
      'Where readers write to: for keys, faults and security reports. It is published, so a change makes a new release. The default is nobody’s: set it.',
    schema: z.email(),
  },
  withoutPdf: {
    flag: 'without-pdf',
    env: 'CATHEDRAL_WITHOUT_PDF',
    default: 'false',
    unit: 'true or false',
    description: 'Leaves the PDF reports out, so no Chromium is needed.',
    switch: true,
    schema: truth,
  },
  withoutSite: {
    flag: 'without-site',
    env: 'CATHEDRAL_WITHOUT_SITE',
    default: 'false',
    unit: 'true or false',
    description: 'Data files only: no pages, and so no PDF, which is printed from one.',
    switch: true,
    schema: truth,
  },
  chromium: {
    flag: 'chromium',
    env: 'CHROMIUM_PATH',
    default: null,
    unit: 'a path of an executable',
    description: "The browser that prints PDFs. Without it: one on the PATH, else one in puppeteer's cache.",
    path: true,
    schema: text,
  },
  rebuild: {
    flag: 'rebuild',
    env: null,
    default: 'false',
    unit: 'true or false',
    description: 'From genesis, taking nothing over from the release before; what mends a damaged release.',
    switch: true,
    schema: truth,
  },
  importFull: {
    flag: 'full',
    env: null,
    default: 'false',
    unit: 'true or false',
    description:
      'For a remote ledger: reads all of it and compares every event with the one imported before.',
    switch: true,
    schema: truth,
  },
  wait: {
    flag: 'wait',
    env: 'CATHEDRAL_WAIT',
    default: '600',
    unit: 'seconds, 0 to 86400',
    description:
      'How long to wait for another run on the same folder. Ten minutes: longer than a run of a large ledger takes. 0 leaves at once.',
    schema: integer(0, 86_400),
  },
  sealDelay: {
    flag: 'seal-delay',
    env: 'CATHEDRAL_SEAL_DELAY',
    default: '60',
    unit: 'seconds, 0 to 10800',
    description:
      'How long after 00, 06, 12 and 18 h UTC a run begins. One minute, in which the ledger seals the snapshot of that hour.',
    schema: integer(0, 10_800),
  },
} as const satisfies Record<string, Setting>;
