/** One example, complete: to be pasted and run. */
export interface Snippet {
  /** `Python (pandas)`. */
  tool: string;
  /** What has to be said before it is run. */
  note?: string;
  code: string;
}

/** The lines of an example; those that a case leaves out are null. */
export function lines(...all: (string | null)[]): string {
  return all.filter((line) => line !== null).join('\n');
}
