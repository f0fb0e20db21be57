import * as z from 'zod/mini';

/**
 * A path below a root: names of letters, digits and `._~+@-`, separated by `/`. Such a path needs no percent-encoding, has no
 * name `.` or `..`, and means the same on every file system. A limit of 240 leaves room for `.br` in a name of 255 bytes.
 */
export const ReleasePath = z
  .string()
  .check(
    z.maxLength(1024),
    z.regex(
      /^(?!\.{1,2}(\/|$))[\w.~+@-]{1,240}(\/(?!\.{1,2}(\/|$))[\w.~+@-]{1,240})*$/,
      'a plain relative path',
    ),
  );
