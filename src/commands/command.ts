import type { Config, SettingName } from '../../pipeline/config/settings.ts';
import type { Progress } from './progress.ts';

/** What a command needs of the process that it runs in. */
export interface Context {
  /** The flags as they were given. */
  args: readonly string[];
  now: () => number;
  progress: Progress;
  /** A line of the command's result, on standard output. */
  print: (line: string) => void;
  /** Text of a result that may be long, on standard output; resolves when there is room for more. */
  write: (text: string) => Promise<void>;
  /**
   * Aborts with SIGINT, SIGTERM or SIGHUP; who asks for it ends in good order then. As long as nobody has asked, the
   * process exits at once, which any command may do at any moment.
   */
  untilStopped: () => AbortSignal;
}

export interface Command<K extends SettingName = SettingName> {
  /** One sentence. */
  summary: string;
  /** What it takes; any other flag is refused. */
  settings: readonly K[];
  /** Of these, the ones that it cannot do without, and where else they may come from: `required, unless …`. */
  needs?: Readonly<Partial<Record<K, string>>>;
  /** Of these, the ones that may be given without their flags, as the first words, in this order. */
  words?: readonly K[];
  /** It runs until it is stopped, and its standard error is a log: one JSON object a line. */
  isService?: true;
  /** Resolves to the exit status: 0, 1 where the work found or did something wrong, 2 where it could not look at all of it. */
  run(config: Pick<Config, K>, context: Context): Promise<0 | 1 | 2>;
}

/** Lets a command's `run` know its settings from the list of them. */
export function defineCommand<const K extends SettingName>(command: Command<K>): Command<K> {
  return command;
}
