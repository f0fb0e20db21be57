import { z } from 'zod';
import { pathOrAddress, text } from '../../pipeline/config/setting.ts';
import { replaceFile } from '../../pipeline/disk/durable.ts';
import { formatVerifierKey } from '../../pipeline/ledger/notes/note.ts';
import { AS_OF_FORMS, slotAsOf } from '../../pipeline/release/format/version-at.ts';
import { FolderOrigin } from '../../pipeline/verify/folder-origin.ts';
import { fetchVersion } from '../../pipeline/verify/versions/fetch-version.ts';
import { defineCommand, formatJson, json } from './command.ts';
import { httpOrigin, trustedKeys } from './reader.ts';

export const fetchCommand = defineCommand({
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
      flag: 'place',
      default: null,
      unit: 'http(s)://host[:port][/path], or a folder',
      description: 'The address of a service or a mirror, or the folder of either.',
      required: true,
      path: true,
      schema: pathOrAddress(),
    },
    file: {
      flag: 'file',
      default: null,
      unit: 'a path, as in the address of the file',
      description: 'The data file, in its own format.',
      required: true,
      schema: text.transform((path) => path.replace(/^\/+/, '')),
    },
    time: {
      flag: 'time',
      default: null,
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
      flag: 'save-as',
      default: null,
      unit: 'a file',
      description: 'Where to write it. A file of this name is replaced.',
      required: true,
      path: true,
      schema: text,
    },
    json,
  },
  async run(config, { wait, progress, print }) {
    const { place, file: path, time: slot, saveAs: into, readerKeys, readerApiKey: apiKey } = config;
    const log = (line: string) => progress.note(line);
    const origin = /^https?:\/\//.test(place)
      ? httpOrigin(place, config, { apiKey, isStatic: true, wait, log })
      : await FolderOrigin.at(place);
    const keys = readerKeys === null ? null : await trustedKeys(readerKeys);
    const { version, content, signedBy } = await fetchVersion(origin, { path, slot, keys }, () => {});
    await replaceFile(into, new Uint8Array(await content.arrayBuffer()));
    progress.end();
    const { file, entry } = version;
    const { id: snapshot, as_of } = entry;
    const key = formatVerifierKey(signedBy);
    const facts = { path, snapshot, as_of, sha256: file.sha256, bytes: file.bytes, signed_by: key };
    if (config.json) print(formatJson({ ...facts, is_trusted: keys !== null, saved_as: into }));
    else {
      print(
        `${into}: ${path} of the snapshot ${snapshot}, as of ${as_of}, ${file.bytes} bytes, SHA-256 ${file.sha256}`,
      );
      print(
        `signed by ${key}${keys === null ? ', which the host named itself: compare it, or give --verifier-key' : ''}`,
      );
    }
    return 0;
  },
});
