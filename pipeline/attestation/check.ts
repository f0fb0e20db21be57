import { idOfSigned, signedBytes } from './canonical-bytes.ts';
import type { Companions } from './companions.ts';
import type { Attestation } from './document.ts';
import type { JsonObject } from './limited-json.ts';
import type { Problem } from './problem.ts';
import { type Registry, timeAtLeast } from './registry.ts';

/** What a document is checked against. */
export interface Trust {
  /** The verifier's clock, ms since 1970. If the registry knows of a later event, that event's time counts. */
  now: number;
  companions: Companions;
  /** The ledger's attestations. Null without a ledger; checks that need one are then skipped. */
  registry: Registry | null;
}

/** A document that matches its schema, and what it is checked against. */
export interface Case extends Trust {
  document: JsonObject;
  attestation: Attestation;
  /** The signed bytes, and their hash: the attestation's id. */
  message: Uint8Array;
  id: string;
}

/** `parsed`: a document as written, and as read. The time is that of the ledger if the clock is behind it. */
export function caseOf(parsed: Pick<Case, 'document' | 'attestation'>, trust: Trust): Case {
  const message = signedBytes(parsed.document);
  const now = trust.registry ? timeAtLeast(trust.now, trust.registry) : trust.now;
  return { ...trust, ...parsed, now, message, id: idOfSigned(message) };
}

export type Result = 'passed' | 'failed' | 'warning' | 'not_checked';

export interface Outcome {
  result: Result;
  /** One sentence. */
  detail: string;
  problems: Problem[];
}

/** A single check. Pure; never throws. */
export type Check = (given: Case) => Outcome;

export function passed(detail: string): Outcome {
  return { result: 'passed', detail, problems: [] };
}

export function notChecked(detail: string): Outcome {
  return { result: 'not_checked', detail, problems: [] };
}

export function failed(...problems: Problem[]): Outcome {
  return { result: 'failed', detail: messages(problems), problems };
}

/** Worth attention, but no reason to refuse. */
export function warning(...problems: Problem[]): Outcome {
  return { result: 'warning', detail: messages(problems), problems };
}

function messages(problems: readonly Problem[]): string {
  return problems.map(({ message }) => message).join(' ');
}
