import { access } from 'node:fs/promises';

/** Whether something is at a path that can be seen from here. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
