import { CathedralError } from '../../pipeline/errors.ts';
import { Problem } from '../api/problem.ts';

/** Tells the caller of a tool what to change. */
export class ToolError extends Error {}

/** The message for a caller; null for a fault of this program. */
export function messageFor(error: unknown): string | null {
  if (error instanceof ToolError || error instanceof Problem || error instanceof CathedralError)
    return error.message;
  return null;
}
