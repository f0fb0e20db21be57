import { z } from 'zod';
import { address, integer, origin, type Setting, SWITCH, text } from '../setting.ts';

/** `Authorization: Bearer …` */
const header = text.regex(/^[A-Za-z0-9-]+:[ \t]*[\x21-\x7e][\x20-\x7e]*$/);

/** An address becomes its part after `://`. */
export const keyName = text
  .transform((value) => value.replace(/^https?:\/\//, ''))
  .pipe(
    z
      .string()
      .max(200)
      .regex(/^[^\s+\p{Cc}]+$/u),
  );

export const PUBLISHING = {
  out: {
    group: 'Publishing',
    flag: 'out',
    env: 'CATHEDRAL_OUT',
    default: 'var/data',
    unit: 'a folder',
    description:
      'The folder in which releases are published. Back up its folder `snapshots`; a run rebuilds everything else from that and the ledger.',
    path: true,
    schema: text,
  },
  documents: {
    group: 'Publishing',
    flag: 'documents',
    env: 'CATHEDRAL_DOCUMENTS',
    default: null,
    unit: 'a folder',
    description:
      'The documents that people write: organisation.json, which says who publishes, and texts. Without it, the folder LEDGER.documents beside the folder of the ledger, or, if there is none, the documents of the demo. See docs/documents.md.',
    path: true,
    schema: text,
  },
  allowPlaceholders: {
    group: 'Publishing',
    flag: 'allow-placeholders',
    env: 'CATHEDRAL_ALLOW_PLACEHOLDERS',
    description:
      'Publishes a ledger of your own although its documents are the demo’s, for a trial. Use another folder (--out) for that, because snapshots and the PDFs of closed years keep what they say.',
    ...SWITCH,
  },
  companions: {
    group: 'Publishing',
    flag: 'companions',
    env: 'CATHEDRAL_COMPANIONS',
    default: null,
    unit: 'a JSON file of companions and wallets',
    description:
      'Which companions may attest, with which keys, and the wallets of the entities in the ledger. All of it is published. Without it no companion is trusted; a demo ledger falls back to its own companions, whose secret keys are public. The format: {"companions": [{"companion": NAME, "keys": [{"algorithm": "ed25519", "public_key": HEX, "valid_from": DATE-TIME, "valid_until": DATE-TIME}]}], "wallets": [{"ledger_id": UUID, "address": 0x…}]}, with valid_until optional. `attest keygen` prints an entry for it, and a service publishes one as companions.json.',
    path: true,
    schema: text,
  },
  baseUrl: {
    group: 'Publishing',
    flag: 'base-url',
    env: 'CATHEDRAL_BASE_URL',
    default: 'http://localhost:{port}',
    unit: 'http(s)://host[:port], in lower case, without a path, a trailing slash or a default port',
    description:
      'The address at which readers reach the service. It appears in citations, pages, PDFs and mails. The service needs its own host name, because pages link from the root. A change makes a new release.',
    schema: origin,
  },
  sourceCode: {
    group: 'Publishing',
    flag: 'source-code',
    env: 'CATHEDRAL_SOURCE_CODE',
    default: null,
    unit: 'http(s)://…, without a query or a fragment',
    description:
      'Where readers find the source code of the software that you run: a repository, or a page that leads to it. Pages name it wherever they name a command. A change makes a new release. Without it, readers are told to ask at the contact address.',
    schema: address,
  },
  withoutSite: {
    group: 'Publishing',
    flag: 'without-site',
    env: 'CATHEDRAL_WITHOUT_SITE',
    description: 'Publishes data files only: no pages, charts or further formats, and no PDFs.',
    ...SWITCH,
  },
  withoutPdf: {
    group: 'Publishing',
    flag: 'without-pdf',
    env: 'CATHEDRAL_WITHOUT_PDF',
    description: 'Publishes no PDF reports. No Chromium is needed then.',
    ...SWITCH,
  },
  chromium: {
    group: 'Publishing',
    flag: 'chromium',
    env: 'CHROMIUM_PATH',
    default: null,
    unit: 'the path of an executable',
    description:
      'The browser that prints PDFs. Without it, `chromium-headless-shell` on the PATH, another Chromium there, or the newest in `~/.cache/puppeteer`.',
    path: true,
    schema: text,
  },
  snapshotDays: {
    group: 'Publishing',
    flag: 'snapshot-days',
    env: 'CATHEDRAL_SNAPSHOT_DAYS',
    default: '366',
    unit: 'days, 0 to 36500',
    description:
      'How long every snapshot is kept; after that, only the last one of each month. A year has 1464 snapshots, each as large as the data files that changed with its release, without the histories.',
    schema: integer(0, 36_500),
  },
  witnesses: {
    group: 'Publishing',
    flag: 'witnesses',
    env: 'CATHEDRAL_WITNESSES',
    default: null,
    unit: 'a file, a policy of c2sp.org/tlog-policy',
    description:
      'The witnesses that cosign each checkpoint of the log: those “witness” lines that have an address. They are asked after a release is published, and again if they do not answer; no release waits for them. Readers can use the same file. See docs/witnesses.md.',
    path: true,
    schema: text,
  },
  purgeUrl: {
    group: 'Publishing',
    flag: 'purge-url',
    env: 'CATHEDRAL_PURGE_URL',
    default: null,
    unit: 'https://…',
    description:
      'Where a run sends a POST request after it has published a release, so that your CDN forgets the previous one. See docs/operations.md, "Behind a CDN".',
    schema: text.regex(/^https?:\/\/[^#\s@\\]+$/).refine((value) => URL.canParse(value)),
  },
  purgeHeader: {
    group: 'Publishing',
    flag: null,
    env: 'CATHEDRAL_PURGE_HEADER',
    default: null,
    unit: 'a header, Authorization: Bearer …',
    description:
      'The header of the purge request that authorises it. It is a secret, so it is read from the environment only.',
    secret: true,
    schema: header,
  },
  purgeBody: {
    group: 'Publishing',
    flag: 'purge-body',
    env: 'CATHEDRAL_PURGE_BODY',
    default: null,
    unit: 'JSON, {"tags":["cathedral-release"]}',
    description: 'The body of the purge request, if your CDN needs one.',
    schema: text.refine(isJson),
  },
  sealDelay: {
    group: 'Publishing',
    flag: 'seal-delay',
    env: 'CATHEDRAL_SEAL_DELAY',
    default: '60',
    unit: 'seconds, 0 to 10800',
    description:
      'How long after 00, 06, 12 and 18 h UTC a run starts. The ledger needs this time to seal the ledger snapshot of the slot.',
    schema: integer(0, 10_800),
  },
  publisherKey: {
    group: 'Release signing',
    flag: 'publisher-key',
    env: 'CATHEDRAL_PUBLISHER_KEY',
    default: 'var/keys/publisher.key',
    unit: 'a file',
    description:
      'The signing keys of the publisher. The first run creates the file, readable by its owner only. A folder beside it, FILE.signed, records what was signed. Back up both: without the key, readers do not accept the next release without being told.',
    path: true,
    schema: text,
  },
} as const satisfies Record<string, Setting>;

function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}
