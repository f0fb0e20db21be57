import { Problem } from '../../../src/api/problem.ts';

/** What a client is told of what `work` throws; fails where it throws nothing, or something else. */
export function problemOf(work: () => unknown): { code: string; detail: string } {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return { code: error.code, detail: error.message };
    throw error;
  }
  throw new Error('expected a Problem');
}
