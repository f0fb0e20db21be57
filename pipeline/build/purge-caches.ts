import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf } from '../transient-fault.ts';

/** The request that makes a CDN forget the previous release. */
export interface PurgeRequest {
  url: string;
  /** `Name: value`, which may be a secret; null: none. */
  header: string | null;
  /** JSON text; null: none. */
  body: string | null;
}

/** A CDN answers within a second or two. */
const TIMEOUT_MS = 10_000;
const PAUSES_MS = [1_000, 5_000];

/**
 * Sends the request, up to three times. Returns null, or why it failed, without the header: what caches keep then expires in its own
 * time, so a purge that fails is no reason to fail a run.
 */
export async function purgeCaches(
  { url, header, body }: PurgeRequest,
  pausesMs: readonly number[] = PAUSES_MS,
): Promise<string | null> {
  const [, name, value] = /^([^:]+):\s*(.*)$/.exec(header ?? '') ?? [];
  const headers: Record<string, string> = {
    ...(body !== null && { 'Content-Type': 'application/json' }),
    ...(name !== undefined && { [name]: value! }),
  };
  for (const pauseMs of [...pausesMs, null]) {
    const fault = await send(url, { method: 'POST', headers, body });
    if (fault === null || pauseMs === null) return fault;
    await sleep(pauseMs);
  }
  return null;
}

async function send(url: string, request: RequestInit): Promise<string | null> {
  const { host } = new URL(url);
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(url, { ...request, redirect: 'error', signal });
    await answer.body?.cancel();
    return answer.ok ? null : `${host} answered ${answer.status} to the purge`;
  } catch (error) {
    return `${host} did not answer the purge: ${reasonOf(error)}`;
  }
}
