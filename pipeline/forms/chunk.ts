/** A piece of a file: bytes, or a range of the same file as the release before has it. */
export type Chunk = Uint8Array | { start: number; end: number };
