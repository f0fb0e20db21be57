/** A run that is disturbed, and what has to hold whatever happens to it. */
export interface Scenario {
  /** Makes what was there before in the folder, which is empty. */
  prepare(folder: string): Promise<void>;
  /** What is disturbed. */
  run(folder: string): Promise<unknown>;
  /** As an operator goes on afterwards; `run` again where it is left out. */
  resume?(folder: string): Promise<unknown>;
  /**
   * What is wrong with what readers see, in words. `isDone`: after a whole run nothing may be left to do either.
   */
  problems(folder: string, isDone: boolean): Promise<string[]>;
  /** The same as a command line, for a process of its own. */
  command?(folder: string): Promise<string[]>;
  /** A run takes seconds and makes thousands of calls: each place that makes calls is swept, and not each call. */
  isLong?: boolean;
  /** Something that runs as long as the scenario is swept. */
  start?(): Promise<() => Promise<void>>;
}
