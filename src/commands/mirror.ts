import { formatVerifierKey } from '../../pipeline/ledger/note.ts';
import { type Mirrored, mirror as mirrorService } from '../../pipeline/mirror/mirror.ts';
import { formatDuration } from '../../pipeline/words/duration.ts';
import { defineCommand } from './command.ts';
import { httpOrigin, READER_SETTINGS, readerOptions } from './reader-settings.ts';
import { required } from './required.ts';

export const mirror = defineCommand({
  summary:
    'Brings a copy of a service, or of a mirror, up to date: only what is new, all of it verified, and swapped in at once.',
  settings: ['mirrorOrigin', 'mirrorFolder', ...READER_SETTINGS, 'recheck', 'withoutLinks', 'wait', 'json'],
  words: ['mirrorOrigin', 'mirrorFolder'],
  async run(config, context) {
    const { recheck, withoutLinks, wait, json, readerApiKey: apiKey, staticOrigin: isStatic } = config;
    const address = required('mirrorOrigin', config.mirrorOrigin);
    const folder = required('mirrorFolder', config.mirrorFolder);
    const { now, progress, print } = context;
    const started = now();
    const origin = httpOrigin(address, config, { apiKey, isStatic, log: (line) => progress.note(line) });
    const reader = await readerOptions(config, context);
    const options = { origin, address, folder, recheck, withoutLinks, waitMs: wait * 1000, ...reader };
    const mirrored = await mirrorService(options);
    progress.end();
    if (mirrored.firstUse)
      progress.note(
        `First use: nobody has said which key to trust, so this one is trusted from now on:\n${mirrored.manifest.keys.join('\n')}\nCompare it with what the publisher gives elsewhere.`,
      );
    if (mirrored.unvouched > 0)
      progress.note(
        `${mirrored.unvouched} of the snapshots are signed by none of the keys of now: their place in the log is proved, and not who published them.`,
      );
    const { requests, bytes } = origin.traffic;
    if (json) print(JSON.stringify(factsOf(mirrored, origin.traffic), null, 2));
    else
      print(
        `${sentence(mirrored)}; ${requests} requests, ${bytes} bytes; ${formatDuration(now() - started)}`,
      );
    return 0;
  },
});

function sentence({ outcome, manifest, files, tiles, snapshots }: Mirrored): string {
  const { version, release, expires } = manifest;
  const what = `version ${version}, ${release}, good until ${expires}`;
  if (outcome === 'unchanged') return `unchanged: ${what}`;
  return `mirrored: ${what}: ${files.files} new files, ${tiles} tiles, ${snapshots} snapshots`;
}

function factsOf({ outcome, manifest, signedBy, firstUse, ...brought }: Mirrored, traffic: object) {
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
    fetched: { ...brought, ...traffic },
  };
}
