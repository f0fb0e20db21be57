import { z } from 'zod';
import { AS_OF_FORMS, slotAsOf } from '../../../pipeline/release/format/version-at.ts';

const SHA256 = /^[0-9a-f]{64}$/;

/** Which version of a file a request asks for: that of a slot, the one with a hash, or without a parameter the current one. */
export const VersionQuery = z
  .strictObject({
    as_of: z
      .string()
      .refine((text) => slotAsOf(text) !== null, AS_OF_FORMS)
      .optional()
      .meta({
        description:
          'The file as it was: in the last snapshot at or before this time. A date means the end of that day in UTC. Content-Location is the permanent address.',
        example: '2025-12-01T06Z',
        invented: true,
      }),
    sha256: z.string().regex(SHA256, '64 lower-case hexadecimal digits').optional().meta({
      description: 'The version of the file with this SHA-256. Not together with as_of.',
      example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      invented: true,
    }),
  })
  .check(({ value, issues }) => {
    if (value.as_of === undefined || value.sha256 === undefined) return;
    issues.push({
      ...{ code: 'custom', path: ['as_of'], message: 'as_of or sha256', input: value },
      params: { found: 'both' },
    });
  });
export type VersionQuery = z.infer<typeof VersionQuery>;
