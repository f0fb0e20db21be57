import { ACCESS_LOG } from './access-log.ts';
import { asOf } from './as-of.ts';
import { ATTEST } from './attest.ts';
import { AUDIT } from './audit.ts';
import { build } from './build.ts';
import { check } from './check.ts';
import type { Command } from './command.ts';
import { KEYS } from './keys.ts';
import { mirror } from './mirror.ts';
import { PUBLISHER } from './publisher.ts';
import { sample } from './sample.ts';
import { serve } from './serve.ts';
import { start } from './start.ts';
import { verify } from './verify.ts';

/** By name, of one word or two. The help, the operations guide and the tests are read off this table. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  sample,
  build,
  check,
  'as-of': asOf,
  serve,
  start,
  mirror,
  verify,
  ...KEYS,
  ...ACCESS_LOG,
  ...ATTEST,
  ...PUBLISHER,
  ...AUDIT,
};
