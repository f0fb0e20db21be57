/** The note of a checkpoint with its cosignatures, which stays when the log has grown. */
export function cosignedPath(size: number): string {
  return `cosigned/${size}`;
}

const COSIGNED = /^cosigned\/(0|[1-9]\d{0,15})$/;

/** The size in such a path; null for any other path. */
export function parseCosignedPath(path: string): number | null {
  const size = Number(COSIGNED.exec(path)?.[1] ?? Number.NaN);
  return Number.isSafeInteger(size) ? size : null;
}
