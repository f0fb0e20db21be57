import { z } from 'zod';
import type { Artifact } from '../../../pipeline/artifacts/artifact.ts';
import { RESTRICTED_EXAMPLES } from './restricted-examples.ts';
import { trimExample, trimTable } from './trim-example.ts';

/** Where examples are taken from. It has no way to a restricted file. */
export interface PublicFiles {
  /** A whole JSON file. */
  read(path: string, schema: z.ZodUnknown): unknown;
  /** The first bytes of a text. */
  head(path: string, bytes: number): string;
}

/** Enough for some rows of any table, and for an entry of a bibliography. */
const HEAD_BYTES = 16_384;
const ROWS = 3;

/** The beginning of a file as it is published, or something invented for what needs a key; undefined for what is not text. */
export function exampleOf(artifact: Artifact, files: PublicFiles): unknown {
  const { path, mediaType, restricted, kind } = artifact;
  if (restricted) return RESTRICTED_EXAMPLES[path];
  if (kind === 'printed') return undefined;
  if (mediaType === 'application/json') return trimExample(files.read(path, z.unknown()));
  const head = files.head(path, HEAD_BYTES);
  return mediaType.startsWith('text/csv') ? trimTable(head, ROWS) : firstEntry(head);
}

/** Of a BibTeX text: up to the brace that stands alone. */
function firstEntry(text: string): string {
  const end = text.indexOf('\n}\n');
  return end < 0 ? text : text.slice(0, end + '\n}\n'.length);
}
