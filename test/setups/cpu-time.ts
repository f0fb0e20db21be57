import { readFileSync } from 'node:fs';

/** `man 2 times` counts in these, everywhere. ms */
const TICK_MS = 10;

/** CPU time of this process, of those that it waited for, and of theirs, ms. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + childrenMs();
}

/** 0 where the system does not say. */
function childrenMs(): number {
  try {
    // After the name in parentheses: the state, and 12 more numbers before those of the children.
    const [, fields = ''] = /\) (.*)/s.exec(readFileSync('/proc/self/stat', 'utf8')) ?? [];
    const [user, system] = fields.split(' ').slice(13, 15).map(Number);
    return (user! + system!) * TICK_MS;
  } catch {
    return 0;
  }
}
