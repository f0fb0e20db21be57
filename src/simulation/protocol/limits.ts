/** Limits of the protocol. A server may be configured with other values, which its messages state. */
export const PROTOCOL_LIMITS = {
  /** Bytes of a client's message, including all fragments. The longest resume that the engine accepts is shorter. */
  messageBytes: 16 * 1024,
  /** Interval between two ticks, ms, while a run advances automatically. One second is enough to read the changes. */
  pace: { least: 250, most: 60_000, start: 1000 },
  /** Characters of a resume token. That of a run with MAX_ACTIONS actions is shorter. */
  tokenCharacters: 8 * 1024,
  /** Ticks per `step`. */
  steps: 100,
} as const;
