import { z } from 'zod';
import { pathOrAddress, text } from '../../pipeline/config/setting.ts';
import { AS_OF_FORMS, slotAsOf } from '../../pipeline/release/format/version-at.ts';
import { formatDuration } from '../../pipeline/words/duration.ts';
import { defineCommand, json } from './command.ts';
import { READER_FLAGS, READER_SETTINGS, WITHOUT_LEDGER_KEY } from './reading.ts';

const mirror = defineCommand({
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
      description: 'Reads every byte of the mirror, and fetches again what is damaged.',
      switch: true,
    },
    json,
  },
  async run(config, context) {
    const { describeMirrored } = await import('../../pipeline/mirror/describe-mirrored.ts');
    const { mirror } = await import('../../pipeline/mirror/mirror.ts');
    const { httpOrigin, readerOptions } = await import('../../pipeline/verify/reader.ts');
    const { mirrorOrigin: address, mirrorFolder: folder, recheck, withoutLinks } = config;
    const { now, wait, progress } = context;
    const started = now();
    const origin = httpOrigin(address, config, {
      apiKey: config.readerApiKey,
      isStatic: config.staticOrigin,
      wait,
      log: progress.note,
    });
    const reader = await readerOptions(config, context);
    const waitMs = config.wait * 1000;
    const mirrored = await mirror({ origin, address, folder, recheck, withoutLinks, waitMs, ...reader });
    const { notes, sentence, facts } = describeMirrored(mirrored, origin.traffic, now());
    for (const note of notes) progress.note(note);
    return { facts, lines: `${sentence}; ${formatDuration(now() - started)}` };
  },
});

const fetch = defineCommand({
  summary:
    'Fetches a data file as it was, from any host, and verifies that the publisher listed these bytes.',
  details:
    'A static host cannot assemble the earlier version of a history; this command does, from the snapshot and the end of the current file. The file is written once its SHA-256 is that of the snapshot.',
  examples: [
    'cathedral fetch https://data.example.org economy/mic-history.csv 2025-12-01T06Z --save-as mic-history.csv --verifier-key data.example.org+1a2b3c4d+AQ…',
    'cathedral fetch /srv/mirror economy/supply 2025-12-01 --save-as supply.json',
  ],
  settings: ['readerKeys', 'timeLimit', 'readerApiKey'],
  positionals: ['place', 'file', 'time'],
  flags: {
    place: {
      unit: 'http(s)://host[:port][/path], or a folder',
      description: 'The address of a service or a mirror, or the folder of either.',
      required: true,
      path: true,
      schema: pathOrAddress(),
    },
    file: {
      unit: 'a path, as in the address of the file',
      description: 'The data file, in its own format.',
      required: true,
      schema: text.transform((path) => path.replace(/^\/+/, '')),
    },
    time: {
      unit: AS_OF_FORMS,
      description: 'The file in the last snapshot at or before this time.',
      required: true,
      schema: z.string().transform((value, context) => {
        const slot = slotAsOf(value);
        if (slot !== null) return slot;
        context.addIssue({ code: 'custom', message: `expected ${AS_OF_FORMS}` });
        return z.NEVER;
      }),
    },
    saveAs: {
      unit: 'a file',
      description: 'Where to write it. A file of this name is replaced.',
      required: true,
      path: true,
    },
    json,
  },
  async run(config, { wait, progress }) {
    const { replaceFile } = await import('../../pipeline/disk/durable.ts');
    const { formatVerifierKey } = await import('../../pipeline/ledger/notes/note.ts');
    const { originAt, trustedKeys } = await import('../../pipeline/verify/reader.ts');
    const { fetchVersion } = await import('../../pipeline/verify/versions/fetch-version.ts');
    const { place, file: path, time: slot, saveAs: into, readerKeys, readerApiKey: apiKey } = config;
    const origin = await originAt(place, config, { apiKey, isStatic: true, wait, log: progress.note });
    const keys = readerKeys === null ? null : await trustedKeys(readerKeys);
    const { version, content, signedBy } = await fetchVersion(origin, { path, slot, keys }, () => {});
    await replaceFile(into, new Uint8Array(await content.arrayBuffer()));
    const { file, entry } = version;
    const { id: snapshot, as_of } = entry;
    const { sha256, bytes } = file;
    const key = formatVerifierKey(signedBy);
    const trust = keys === null ? ', which the host named itself: compare it, or give --verifier-key' : '';
    return {
      facts: {
        path,
        snapshot,
        as_of,
        sha256,
        bytes,
        signed_by: key,
        is_trusted: keys !== null,
        saved_as: into,
      },
      lines: [
        `${into}: ${path} of the snapshot ${snapshot}, as of ${as_of}, ${bytes} bytes, SHA-256 ${sha256}`,
        `signed by ${key}${trust}`,
      ],
    };
  },
});

export const COMMANDS = { mirror, fetch };
