import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { beforeAll, expect, test } from 'vitest';
import { few } from '../setups/sweep.ts';
import { useFolder } from '../setups/use-folder.ts';
import { runCli } from './commands/seam.ts';

// What a command needs does not grow with the ledger: events of 25 MB pass through programs that may keep less than that.

const EVENTS = 1250;
const START = Date.parse('2026-01-01T00:00:00Z');
/** Characters in each event. */
const LONG = 20_000;

function* lines(): Generator<string> {
  for (let at = 0; at < EVENTS; at++) {
    const timestamp = `${new Date(START + at * 60_000).toISOString().slice(0, 19)}Z`;
    const data = { text: `${at} `.repeat(LONG).slice(0, LONG) };
    yield `${JSON.stringify({ timestamp, type: 'deliberation_note', agent: 'ATLAS', data })}\n`;
  }
}

const folder = useFolder();
beforeAll(() => pipeline(Readable.from(lines()), createWriteStream(join(folder, 'events.ndjson'))));

/** What each needs for an empty ledger, and half as much again. MB */
const HEAP = 44;

const ORGANISATION = '--organisation-name Northby --organisation-contact data@example.org';
const BUILD = '--ledger FOLDER/ledger --out FOLDER/out --publisher-key FOLDER/publisher.key';

/** One after the other. */
const COMMANDS = [
  `ledger init FOLDER/ledger --origin ledger.example.org --from 2025-12-31T00:00:00Z ${ORGANISATION}`,
  'ledger append FOLDER/events.ndjson --ledger FOLDER/ledger',
  'ledger seal FOLDER/ledger',
  `build ${BUILD} --without-site --without-pdf`,
  `check ${BUILD}`,
];

test.each(few(COMMANDS, 4))('%s', async (words) => {
  const args = words.replaceAll('FOLDER', folder).split(' ');
  const options = { NODE_OPTIONS: `--max-old-space-size=${HEAP}` };
  const { status, signal, stdout, stderr } = await runCli(args, options);
  expect([status, signal, status === 0 ? '' : stdout + stderr]).toEqual([0, null, '']);
});
