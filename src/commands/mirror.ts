import { formatVerifierKey } from '../../pipeline/ledger/notes/note.ts';
import { formatWitnessing } from '../../pipeline/ledger/notes/witness-quorum.ts';
import { type Mirrored, mirror as mirrorService } from '../../pipeline/mirror/mirror.ts';
import { formatDuration } from '../../pipeline/words/duration.ts';
import { defineCommand, formatJson, json, SWITCH } from './command.ts';
import {
  httpOrigin,
  READER_FLAGS,
  READER_SETTINGS,
  readerOptions,
  WITHOUT_LEDGER_KEY,
  witnessesOf,
} from './reader.ts';

export const mirror = defineCommand({
  summary: 'Updates a verified copy of a service or of another mirror.',
  details:
    'It fetches only what is new, verifies everything before keeping it, and switches to the new release in one step. Run it from a timer. To verify a mirror without updating it, use `verify FOLDER`.',
  examples: [
    'cathedral mirror https://data.example.org /srv/mirror --verifier-key data.example.org+1a2b3c4d+AQ…',
    'cathedral mirror https://data.example.org /srv/mirror --recheck --json',
  ],
  settings: ['mirrorOrigin', 'mirrorFolder', ...READER_SETTINGS, 'withoutLinks', 'wait'],
  optional: { ledgerKey: WITHOUT_LEDGER_KEY },
  required: { mirrorOrigin: true, mirrorFolder: true },
  positionals: ['mirrorOrigin', 'mirrorFolder'],
  flags: {
    ...READER_FLAGS,
    recheck: {
      flag: 'recheck',
      description: 'Reads every byte of the mirror, and fetches again what is damaged.',
      ...SWITCH,
    },
    json,
  },
  async run(config, context) {
    const { recheck, withoutLinks, wait, readerApiKey: apiKey, staticOrigin: isStatic } = config;
    const { mirrorOrigin: address, mirrorFolder: folder } = config;
    const { now, wait: pause, progress, print } = context;
    const started = now();
    const origin = httpOrigin(address, config, {
      apiKey,
      isStatic,
      wait: pause,
      log: (line) => progress.note(line),
    });
    const reader = await readerOptions(config, context);
    const options = { origin, address, folder, recheck, withoutLinks, waitMs: wait * 1000, ...reader };
    const mirrored = await mirrorService(options);
    progress.end();
    if (mirrored.firstUse)
      progress.note(
        `Trust on first use: no key was given, so this one is trusted from now on:\n${mirrored.manifest.keys.join('\n')}\nCompare it with the key that the publisher gives out of band.`,
      );
    if (mirrored.unvouched > 0)
      progress.note(
        `${mirrored.unvouched} snapshots are not signed by any current key: their place in the log is proved, but not who published them.`,
      );
    const { requests, bytes } = origin.traffic;
    if (config.json) print(formatJson(factsOf(mirrored, origin.traffic)));
    else
      print(
        `${sentence(mirrored, now())}; ${requests} requests, ${bytes} bytes; ${formatDuration(now() - started)}`,
      );
    return 0;
  },
});

function sentence({ outcome, manifest, files, tiles, snapshots, witnessing }: Mirrored, now: number): string {
  const { version, release, expires } = manifest;
  const what = `version ${version}, ${release}, expires ${expires}`;
  const witnesses = witnessing ? `; ${formatWitnessing(witnessing, now)}` : '';
  if (outcome === 'unchanged') return `unchanged: ${what}${witnesses}`;
  return `mirrored: ${what}: ${files.files} new files, ${tiles} tiles, ${snapshots} snapshots${witnesses}`;
}

function factsOf(
  { outcome, manifest, signedBy, firstUse, witnessing, ...fetched }: Mirrored,
  traffic: object,
) {
  const { version, release, snapshot, as_of, expires, log } = manifest;
  return {
    outcome,
    version,
    release,
    snapshot,
    as_of,
    expires,
    log: { size: log.size, root_hash: log.root_hash },
    signed_by: signedBy && formatVerifierKey(signedBy),
    first_use: firstUse,
    witnesses: witnessing && witnessesOf(witnessing),
    fetched: { ...fetched, ...traffic },
  };
}
