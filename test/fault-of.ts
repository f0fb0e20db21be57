import { CathedralError } from '../pipeline/errors.ts';

/** The error of the service that `work` throws; fails where it throws nothing, or something else. */
export function faultOf(work: () => unknown): CathedralError {
  try {
    work();
  } catch (error) {
    if (error instanceof CathedralError) return error;
    throw error;
  }
  throw new Error('expected a failure');
}

/** The message of what `work` throws; `accepted` where it throws nothing. */
export function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
}
