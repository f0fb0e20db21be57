import { z } from 'zod';

/**
 * A path below a root: names of letters, digits and `._~+@-` with `/` between them. So it is its own
 * percent-encoding, no name is `.` or `..`, and it means the same on every file system. 240 leaves room for
 * `.br` in a name of 255 bytes.
 */
export const ReleasePath = z
  .string()
  .max(1024)
  .regex(
    /^(?!\.{1,2}(\/|$))[\w.~+@-]{1,240}(\/(?!\.{1,2}(\/|$))[\w.~+@-]{1,240})*$/,
    'a plain relative path',
  );
