import { z } from 'zod';
import { visible } from '../../words/hidden.ts';
import { address, numbers, origin, SWITCH, settings, text } from '../setting.ts';

/** `Authorization: Bearer …` */
const header = text.regex(/^[A-Za-z0-9-]+:[ \t]*[\x21-\x7e][\x20-\x7e]*$/);

/** An address becomes its part after `://`. */
export const keyName = text
  .transform((value) => value.replace(/^https?:\/\//, ''))
  .pipe(
    z
      .string()
      .max(200)
      .regex(/^[^\s+\p{Cc}]+$/u)
      .check(visible),
  );

export const PUBLISHING = settings('Publishing', {
  out: {
    default: 'var/data',
    unit: 'a folder',
    description:
      'The folder in which releases are published. Back up its folder `snapshots`; a run rebuilds everything else from that and the ledger.',
    path: true,
  },
  documents: {
    unit: 'a folder',
    description:
      'The documents that people write: organisation.json, which says who publishes, and texts. Without it, the folder LEDGER.documents beside the folder of the ledger, or, if there is none, the documents of the demo. See docs/ledger.md.',
    path: true,
  },
  allowPlaceholders: {
    description:
      'Publishes a ledger of your own although its documents are the demo’s, for a trial. Use another folder (--out) for that, because snapshots and the PDFs of closed years keep what they say.',
    ...SWITCH,
  },
  companions: {
    unit: 'a JSON file of companions and wallets',
    description:
      'Which companions may attest, with which keys, and the wallets of the entities in the ledger. All of it is published. Without it no companion is trusted; a demo ledger falls back to its own companions, whose secret keys are public. The format: {"companions": [{"companion": NAME, "keys": [{"algorithm": "ed25519", "public_key": HEX, "valid_from": DATE-TIME, "valid_until": DATE-TIME}]}], "wallets": [{"ledger_id": UUID, "address": 0x…}]}, with valid_until optional. `attest keygen` prints an entry for it, and a service publishes one as companions.json.',
    path: true,
  },
  baseUrl: {
    default: 'http://localhost:{port}',
    unit: 'http(s)://host[:port], in lower case, without a path, a trailing slash or a default port',
    description:
      'The address at which readers reach the service. It appears in citations, pages, PDFs and mails. The service needs its own host name, because pages link from the root. A change makes a new release.',
    schema: origin,
  },
  sourceCode: {
    unit: 'http(s)://…, without @, a query or a fragment',
    description:
      'Where readers find the source code of the software that you run: a repository, or a page that leads to it. Pages name it wherever they name a command. A change makes a new release. Without it, readers are told to ask at the contact address.',
    schema: address,
  },
  withoutSite: {
    description: 'Publishes data files only: no pages, charts or further formats, and no PDFs.',
    ...SWITCH,
  },
  withoutPdf: {
    description: 'Publishes no PDF reports. No Chromium is needed then.',
    ...SWITCH,
  },
  chromium: {
    env: 'CHROMIUM_PATH',
    unit: 'the path of an executable',
    description:
      'The browser that prints PDFs. Without it, `chromium-headless-shell` on the PATH, another Chromium there, or the newest in `~/.cache/puppeteer`.',
    path: true,
  },
  snapshotDays: {
    default: '366',
    ...numbers('days', 0, 36_500),
    description:
      'How long every snapshot is kept; after that, only the last one of each month. A year has 1464 snapshots, each as large as the data files that changed with its release, without the histories.',
  },
  witnesses: {
    unit: 'a file, a policy of c2sp.org/tlog-policy',
    description:
      'The witnesses that cosign each checkpoint of the log: those “witness” lines that have an address. They are asked after a release is published, and again if they do not answer; no release waits for them. Readers can use the same file. See docs/witnesses.md.',
    path: true,
  },
  purgeUrl: {
    unit: 'http(s)://…, without @ and #',
    description:
      'Where a run sends a POST request after it has published a release, so that your CDN or proxy forgets the previous one. Over http, the network can read CATHEDRAL_PURGE_HEADER. See docs/operations.md, "Behind a CDN".',
    schema: text.regex(/^https?:\/\/[^#\s@\\]+$/).refine((value) => URL.canParse(value)),
  },
  purgeHeader: {
    flag: null,
    unit: 'a header, Authorization: Bearer …',
    description:
      'The header of the purge request that authorises it. It is a secret, so it is read from the environment only.',
    secret: true,
    schema: header,
  },
  purgeBody: {
    unit: 'JSON, {"tags":["cathedral-release"]}',
    description: 'The body of the purge request, if your CDN needs one.',
    schema: text.refine(isJson),
  },
  sealDelay: {
    default: '60',
    ...numbers('seconds', 0, 10_800),
    description:
      'How long after 00, 06, 12 and 18 h UTC a run starts. The ledger needs this time to seal the ledger snapshot of the slot.',
  },
  publisherKey: {
    group: 'Release signing',
    default: 'var/keys/publisher.key',
    unit: 'a file',
    description:
      'The signing keys of the publisher. The first run creates the file, readable by its owner only. A folder beside it, FILE.signed, records what was signed. Back up both: without the key, readers do not accept the next release without being told.',
    path: true,
  },
});

function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}
