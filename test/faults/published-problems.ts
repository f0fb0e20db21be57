import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { check } from '../../pipeline/build/check.ts';
import { compareProofs } from '../../pipeline/build/check-release.ts';
import { publishedIds, readIndex } from '../../pipeline/build/snapshots/read-published.ts';
import { verifyList, verifySnapshot } from '../../pipeline/build/snapshots/verify-published-snapshots.ts';
import { CathedralError, type Finding } from '../../pipeline/errors.ts';
import { readNoteKeys, verifierKeyOf } from '../../pipeline/ledger/notes/note-keys.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { LIST_PATH } from '../../pipeline/release/format/snapshot-index.ts';
import { readStatus } from '../../pipeline/release/format/status.ts';
import { openLog } from '../../pipeline/release/log/open-log.ts';
import { fileRecords } from '../../pipeline/release/signing/file-records.ts';
import { verifyRelease } from '../../pipeline/release/staging/verify-release.ts';
import { FolderOrigin } from '../../pipeline/verify/folder-origin.ts';
import { verify } from '../../pipeline/verify/verify.ts';
import { signer } from '../ledger/test-signer.ts';
import { checkLog } from '../release/log/check-log.ts';
import { keysOf, ledgerOf, outOf, publisherOptions } from './small-publisher.ts';

/**
 * What is wrong with what readers of a publisher's folder see, and with what the next run needs. The release that is served is
 * one of `sizes`, by the events of its ledger; 0: there may be none.
 */
export async function publishedProblems(
  folder: string,
  sizes: readonly number[],
  isDone: boolean,
): Promise<string[]> {
  const out = outOf(folder);
  const problems: string[] = [];
  const look = (part: string, work: () => Promise<Iterable<Finding | string>>) =>
    looking(part, work).then((found) => void problems.push(...found));
  await look('release', () => releaseProblems(folder, sizes));
  problems.push(...(await problemsBeside(out)));
  await look('status', () => readStatus(out).then(() => []));
  await look('signing record', () => recordOf(folder).then(() => []));
  if (isDone)
    await look('check', async () =>
      check({ ...publisherOptions(folder, await ledgerOf(1)), ledger: null, verifiers: [signer.verifier] }),
    );
  return problems;
}

/** What is wrong with the log and the snapshots that readers see beside a release. */
export async function problemsBeside(out: string): Promise<string[]> {
  return [
    ...(await looking('log', () => logProblems(out))),
    ...(await looking('snapshots', () => snapshotProblems(out))),
  ];
}

const recordOf = (folder: string) => fileRecords(keysOf(folder), { waitMs: 0 }).read();

async function looking(part: string, work: () => Promise<Iterable<Finding | string>>): Promise<string[]> {
  try {
    return [...(await work())].map((problem) => `${part}: ${sentence(problem)}`);
  } catch (error) {
    if (error instanceof CathedralError) return [`${part}: ${error.message}`];
    return [`${part}: ${(error as Error).stack}`];
  }
}

function sentence(problem: Finding | string): string {
  if (typeof problem === 'string') return problem;
  return `${problem.place}: expected ${problem.expected}, found ${problem.found}`;
}

async function releaseProblems(folder: string, sizes: readonly number[]): Promise<(Finding | string)[]> {
  const current = await readCurrent(outOf(folder));
  if (!current) return sizes.includes(0) ? [] : ['there is none'];
  const { dir, manifest } = current;
  const { size } = manifest.ledger;
  const problems = [
    ...(await verifyRelease(dir)),
    ...(await compareProofs(dir, manifest)),
    ...(manifest.signed ? await signatureProblems(outOf(folder)) : []),
  ];
  const keys = (await readNoteKeys(keysOf(folder)))?.map(verifierKeyOf) ?? [];
  const isFollowed = manifest.signed?.keys.some((key) => keys.includes(key)) ?? false;
  const replaced = (await recordOf(folder)).replaced;
  return [
    ...problems,
    ...(sizes.includes(size) ? [] : [`it is of ${size} events`]),
    ...(isFollowed || replaced.length > 0 ? [] : ['none of its keys can sign the next one']),
  ];
}

/** What readers find besides the files, which are as the release's own manifest says; the log may already be ahead of the release. */
async function signatureProblems(out: string): Promise<Finding[]> {
  const trust = { keys: null, ledgerKeys: [signer.verifier] };
  const options = { parallel: 2, now: () => 0, wait: async () => {}, log: () => {} };
  const checks = ['signature', 'log'] as const;
  const { findings } = await verify(await FolderOrigin.at(out), trust, { ...options, checks });
  return findings.filter(({ expected }) => expected !== 'nothing');
}

/** All of the release’s log is there. What its checkpoint does not say yet may be there, too. */
async function logProblems(out: string): Promise<(Finding | string)[]> {
  const { checkpoint } = await openLog(out);
  const released = (await readCurrent(out))?.manifest.ledger;
  if (!checkpoint && !released) return [];
  const problems = await checkLog(out, released ?? { ...checkpoint!, snapshot: '' }, [signer.verifier]);
  return problems.filter(({ expected }) => expected !== 'nothing');
}

async function snapshotProblems(out: string): Promise<(Finding | string)[]> {
  const kept = await publishedIds(out);
  const problems: (Finding | string)[] = [];
  for (const id of kept) problems.push(...(await verifySnapshot(out, id)));
  for (const { id } of (await readIndex(out)) ?? [])
    if (!kept.includes(id)) problems.push(`${id} is listed and is not there`);
  // As readers of the release that is served take the list. Between the list and its signature they have to look again.
  const isBetween = ({ place, expected }: Finding) =>
    place.endsWith(LIST_PATH) && !/^snapshot/.test(expected);
  if (await readCurrent(out)) problems.push(...(await verifyList(out)).filter((one) => !isBetween(one)));
  return problems;
}

/** Names in a folder that no run leaves there. */
export async function leftOvers(folder: string, known: readonly string[]): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => !known.includes(name)).map((name) => `left over: ${join(folder, name)}`);
}
