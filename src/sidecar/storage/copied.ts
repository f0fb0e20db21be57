/** A part of the stores that was copied, or was there already. */
export interface Copied {
  part: string;
  /** How many rows both sides have, by table. */
  rows: Readonly<Record<string, number>>;
  /** SHA-256 over the rows in a canonical form, which is the same on both sides. */
  digest: string;
  /** False: the destination already had all of it. */
  isNew: boolean;
}
