import { type Parameter, type Reference, refer } from './operation.ts';

const ETAG = '"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"';
const DATE = 'Mon, 01 Dec 2025 05:58:12 GMT';

/** Conditions and ranges (RFC 9110 §13, §14), which every file knows; by component name. */
const PARAMETERS = {
  IfNoneMatch: {
    name: 'If-None-Match',
    description: 'The ETag that you have: while it is still the file’s, the answer is 304 without a body.',
    example: ETAG,
  },
  IfModifiedSince: {
    name: 'If-Modified-Since',
    description: 'The Last-Modified that you have, in place of an ETag.',
    example: DATE,
  },
  IfMatch: {
    name: 'If-Match',
    description: 'Only while this is the file’s ETag; else 412.',
    example: ETAG,
  },
  IfUnmodifiedSince: {
    name: 'If-Unmodified-Since',
    description: 'Only while the file has not changed since; else 412.',
    example: DATE,
  },
  Range: {
    name: 'Range',
    description: 'A part of the file, uncompressed: the answer is 206. Of several parts the whole is sent.',
    example: 'bytes=0-1023',
  },
  IfRange: {
    name: 'If-Range',
    description: 'With Range: the part while this is the file’s ETag, else the whole file.',
    example: ETAG,
  },
} as const;

/** `components.parameters` */
export function requestHeaderComponents(): Record<string, Parameter> {
  return Object.fromEntries(
    Object.entries(PARAMETERS).map(([key, { name, description, example }]) => [
      key,
      { name, in: 'header', required: false, description, schema: { type: 'string' }, example },
    ]),
  );
}

export function referToRequestHeaders(): Reference[] {
  return Object.keys(PARAMETERS).map((name) => refer('parameters', name));
}
