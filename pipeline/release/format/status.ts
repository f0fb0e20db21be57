import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJsonFile } from '../../artifacts/format/json.ts';
import { ifThere, replaceFile } from '../../disk/durable.ts';
import { ERROR_CODES, type ErrorCode } from '../../errors.ts';
import { Manifest } from './manifest.ts';

/** Number of latest findings in the status. All are alerts in the published data, except that the last row of a source is not whole. */
export const MAX_FINDINGS = 20;

/** What a release contains; every release has the data files. */
export const PARTS = ['data', 'formats', 'charts', 'pages', 'pdfs'] as const;
export type Part = (typeof PARTS)[number];

const Time = z.iso.datetime();
const Parts = z.array(z.enum(PARTS));

/**
 * How a run ended. `incomplete`: it has published the data files, and `error` says why something else is missing; null while that is still
 * being made.
 */
const LastRun = z.strictObject({
  started_at: Time,
  finished_at: Time,
  outcome: z.enum(['published', 'unchanged', 'incomplete', 'failed']),
  /** New snapshots and events that the run read. */
  snapshots: z.int().min(0),
  events: z.int().min(0),
  findings: z.strictObject({ count: z.int().min(0), latest: z.array(z.string()).max(MAX_FINDINGS) }),
  error: z
    .strictObject({
      code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]),
      message: z.string(),
    })
    .nullable(),
});

/** `/status.json`: the state of the service. It contains public data only and is served to everyone. */
export const Status = z.strictObject({
  format: z.literal('cathedral-status/1'),
  service: z.strictObject({ software: z.string() }),
  /** The current release; null before the first. */
  release: z
    .strictObject({
      id: z.string(),
      timestamp: z.string(),
      ledger: Manifest.shape.ledger,
      /** What it is to have as well: it is still being made, or it failed. Empty where the release is complete. */
      lacks: Parts,
    })
    .nullable(),
  /** The run under way on this machine; null between runs. If it is killed, it stays until the next one. */
  running: z.strictObject({ started_at: Time, makes: Parts }).nullable(),
  last_run: LastRun,
  next_run_at: Time.nullable(),
});
export type Status = z.infer<typeof Status>;

/** Replaces OUT/status.json atomically. Throws publish_failed. */
export async function writeStatus(out: string, status: Status): Promise<void> {
  await replaceFile(join(out, 'status.json'), `${JSON.stringify(Status.parse(status), null, 2)}\n`);
}

/** Null before the first run. Throws release_invalid if the file is not a status. */
export async function readStatus(out: string): Promise<Status | null> {
  const path = join(out, 'status.json');
  const text = await ifThere(readFile(path, 'utf8'), null);
  return text === null ? null : parseJsonFile(text, Status, path, 'release_invalid');
}
