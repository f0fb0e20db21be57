import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** On SIGUSR2, so that what is left is what is needed. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  process.on('SIGUSR2', collect);
}
