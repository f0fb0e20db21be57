import { z } from 'zod';

/** One thing that can be set: by a flag, else by an environment variable, else it is the default. */
export interface Setting<T = unknown> {
  /** Without the dashes: `ledger-key`. */
  flag: string;
  env: string | null;
  /** As one would write it in the environment, `{port}` standing for another setting's value; null: nothing. */
  default: string | null;
  /** What a value may be, with its unit; said to whoever gives another one. */
  unit: string;
  /** What it does, and why the default is what it is. */
  description: string;
  /** A path. A default path is below the project's folder, a given one below the working directory. */
  path?: true;
  /** A flag without a value; in the environment `true` or `false`. */
  switch?: true;
  /** From the text that was given. */
  schema: z.ZodType<T, string>;
}

const text = z.string().min(1);
const truth = z.enum(['true', 'false']).transform((value) => value === 'true');
const CIVIC = /^civic\+(https?:\/\/.+)$/;

/** Where a ledger is: a folder, or a remote ledger that is imported into a folder first. */
export type LedgerSource = { kind: 'directory'; path: string } | { kind: 'civic'; url: string };

const ledgerSource = text.transform((value): LedgerSource => {
  const [, url] = CIVIC.exec(value) ?? [];
  return url === undefined
    ? { kind: 'directory', path: value }
    : { kind: 'civic', url: url.replace(/\/+$/, '') };
});

/** Every setting of every command. The help, the operations guide and the tests are read off this table. */
export const SETTINGS = {
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
      'Where a remote ledger is imported to. It can be imported again, but a copy saves reading all of it.',
    path: true,
    schema: text,
  },
  importKey: {
    flag: 'import-key',
    env: 'CATHEDRAL_IMPORT_KEY',
    default: 'var/keys/import.key',
    unit: 'a file of 64 hex digits',
    description:
      'The secret that imported snapshots are signed and salted with; made by the first import. With the same secret, a second import gives the same bytes: back it up.',
    path: true,
    schema: text,
  },
  out: {
    flag: 'out',
    env: 'CATHEDRAL_OUT',
    default: 'var/data',
    unit: 'a folder',
    description: 'Where releases are published. It holds nothing that cannot be made again from the ledger.',
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
    unit: 'http(s)://host[:port][/path], without a slash at the end',
    description:
      'The address under which readers reach the service. It is printed in citations, pages and PDFs, so a change makes a new release.',
    schema: z.url({ protocol: /^https?$/ }).regex(/^[^?#\s@]*[^/?#\s@]$/),
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
  host: {
    flag: 'host',
    env: 'CATHEDRAL_HOST',
    default: 'localhost',
    unit: 'a host name or an address of this machine',
    description:
      'Where the service listens. The default is for this machine alone, as behind a reverse proxy; 0.0.0.0 or :: for everybody.',
    schema: text,
  },
  port: {
    flag: 'port',
    env: 'PORT',
    default: '8080',
    unit: 'a TCP port, 0 to 65535',
    description: 'Where the service listens; 0 takes a free one.',
    schema: integer(0, 65_535),
  },
  logLevel: {
    flag: 'log-level',
    env: 'CATHEDRAL_LOG_LEVEL',
    default: 'warn',
    unit: 'one of debug, info, warn, error',
    description:
      'What the server logs, one JSON object a line on standard error. At info that is each request, without addresses and keys.',
    schema: z.enum(['debug', 'info', 'warn', 'error']),
  },
  sampleOut: {
    flag: 'out',
    env: null,
    default: 'var/ledger',
    unit: 'a folder that is not there, empty, or an older sample',
    description:
      'For `sample`: where the ledger is written, by default where `start` and `build` look for one.',
    path: true,
    schema: text,
  },
  from: {
    flag: 'from',
    env: null,
    default: '2025-07-03',
    unit: 'a date, 2025-07-03 or later',
    description:
      'For `sample`: the day of genesis. The default is that of C-0, from which cycles are counted.',
    schema: text,
  },
  to: {
    flag: 'to',
    env: null,
    default: null,
    unit: 'a date or a UTC date-time, later than --from',
    description: 'For `sample`: where the ledger ends, itself not in it. Without it: now.',
    schema: text,
  },
  seed: {
    flag: 'seed',
    env: null,
    default: '1',
    unit: 'a whole number, 0 to 9007199254740991',
    description: 'For `sample`: another one gives another ledger, the same one the same bytes.',
    schema: integer(0, Number.MAX_SAFE_INTEGER),
  },
  events: {
    flag: 'events',
    env: null,
    default: null,
    unit: 'a whole number, 1 to 1000000000',
    description:
      'For `sample`: the exact number of events. Without it, what the dates give by themselves: about 190 a day.',
    schema: integer(1, 1_000_000_000),
  },
  follow: {
    flag: 'follow',
    env: null,
    default: 'false',
    unit: 'true or false',
    description:
      'For `sample`: goes on from the ledger that is there, catches up with what passed, and appends events at a human pace until it is stopped.',
    switch: true,
    schema: truth,
  },
  demo: {
    flag: 'demo',
    env: null,
    default: 'false',
    unit: 'true or false',
    description:
      'For `start`: writes a sample ledger where there is none, and keeps it alive. What `npm start` does.',
    switch: true,
    schema: truth,
  },
} as const satisfies Record<string, Setting>;

/** A decimal number without sign or leading zeros. */
function integer(min: number, max: number) {
  return z
    .string()
    .regex(/^(0|[1-9]\d{0,15})$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max));
}

export type SettingName = keyof typeof SETTINGS;

/** The values of all settings; one without a default may be null. */
export type Config = {
  [K in SettingName]:
    | z.output<(typeof SETTINGS)[K]['schema']>
    | ((typeof SETTINGS)[K]['default'] extends null ? null : never);
};
