/** A mistake in the program that a test has to find. */
export interface PlantedFault {
  /** What the program then does, as a sentence. */
  name: string;
  /** The promise that it breaks, as users read it. */
  breaks: string;
  /** Path of the file, from the project's folder. */
  file: string;
  /** Text that occurs exactly once in the file, and what stands there instead. */
  change: readonly [from: string, to: string];
  /** Test files that have to find it, the cheapest first. */
  tests: readonly string[];
}
