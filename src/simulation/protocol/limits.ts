/** What the protocol bounds; a server may be set up with other values, and says so in its messages. */
export const PROTOCOL_LIMITS = {
  /** Of a message from the client, all its fragments together. The longest resume that the engine takes is shorter. */
  messageBytes: 16 * 1024,
  /** Between two ticks, ms: the pace at which a run goes on by itself. One can read what has changed in a second. */
  pace: { least: 250, most: 60_000, start: 1000 },
  /** Ticks in one `step`. */
  steps: 100,
} as const;
