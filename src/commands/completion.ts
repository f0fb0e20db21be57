import { z } from 'zod';
import type { Option } from '../../pipeline/config/setting.ts';
import { type Command, defineCommand } from './command.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const completion = defineCommand({
  summary: 'Prints the completion script of a shell.',
  details:
    'The script completes commands, flags, and paths. It works where the command is called `cathedral`, for example through a link to src/cli.ts on the PATH.',
  examples: [
    'cathedral completion bash > ~/.local/share/bash-completion/completions/cathedral',
    'cathedral completion zsh > ~/.zfunc/_cathedral',
    'cathedral completion fish > ~/.config/fish/completions/cathedral.fish',
  ],
  isReader: true,
  positionals: ['shell'],
  flags: {
    shell: {
      flag: 'shell',
      default: null,
      unit: 'bash, zsh or fish',
      description: 'The shell to complete in.',
      required: true,
      schema: z.enum(SHELLS),
    },
  },
  async run({ shell }, { write, loadCommands }) {
    await write(SCRIPTS[shell](await loadCommands()));
    return 0;
  },
});

type Commands = Readonly<Record<string, Command>>;

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], (commands: Commands) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** `['keys', …]` and `['keys issue', …]`: what may follow the first and the second word. */
function words(commands: Commands): { first: string[]; second: Record<string, string[]> } {
  const names = Object.keys(commands).map((name) => name.split(' '));
  const second: Record<string, string[]> = {};
  for (const [one = '', two] of names) if (two !== undefined) second[one] = [...(second[one] ?? []), two];
  return { first: [...new Set([...names.map(([one]) => one!), 'help', 'version'])], second };
}

function flagged({ options }: Command): (Option & { flag: string })[] {
  return Object.values(options).filter((option): option is Option & { flag: string } => option.flag !== null);
}

/** Bash and zsh complete paths after a flag that takes one, and nothing after any other flag with a value. */
function bashScript(commands: Commands): string {
  const { first, second } = words(commands);
  const groups = Object.entries(second).map(([word, next]) => `    ${word}) next='${next.join(' ')}' ;;`);
  const flags = Object.entries(commands).map(([name, command]) => {
    const all = flagged(command).map(({ flag }) => `--${flag}`);
    return `    '${name}') flags='${[...all, '--help'].join(' ')}' ;;`;
  });
  const valued = new Set<string>();
  const paths = new Set<string>();
  for (const option of Object.values(commands).flatMap(flagged)) {
    if (option.path) paths.add(`--${option.flag}`);
    else if (!option.switch) valued.add(`--${option.flag}`);
  }
  for (const path of paths) valued.delete(path);
  return `# bash completion for cathedral: cathedral completion bash
_cathedral() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local first=\${COMP_WORDS[1]} command next= flags=
  COMPREPLY=()
  case $previous in
    ${[...paths].join('|')}) COMPREPLY=($(compgen -f -- "$current")); return ;;
    ${[...valued].join('|')}) return ;;
  esac
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${first.join(' ')} --help --version' -- "$current")); return
  fi
  local at=1
  if [[ $first == help ]]; then at=2; first=\${COMP_WORDS[2]}; fi
  if ((COMP_CWORD == at)); then COMPREPLY=($(compgen -W '${first.join(' ')}' -- "$current")); return; fi
  case $first in
${groups.join('\n')}
  esac
  if [[ -n $next ]] && ((COMP_CWORD == at + 1)); then
    COMPREPLY=($(compgen -W "$next --help" -- "$current")); return
  fi
  command=$first
  if [[ -n $next ]]; then command="$first \${COMP_WORDS[at+1]}"; fi
  case $command in
${flags.join('\n')}
  esac
  if [[ $command == completion && $current != -* ]]; then
    COMPREPLY=($(compgen -W '${SHELLS.join(' ')}' -- "$current"))
  elif [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _cathedral cathedral
`;
}

/** A text inside single quotes, for zsh's _arguments, where `[`, `]` and `:` have a meaning. */
function zshText(text: string): string {
  return text.replace(/[[\]:]/g, '\\$&').replaceAll("'", "'\\''");
}

function firstSentence(text: string): string {
  return /^.*?[.:](?= |$)/.exec(text)?.[0].slice(0, -1) ?? text;
}

function zshScript(commands: Commands): string {
  const { first, second } = words(commands);
  const summaryOf = (word: string) => {
    if (word === 'help') return 'Prints help';
    if (word === 'version') return 'Prints the version';
    return second[word] ? second[word].join(', ') : firstSentence(commands[word]!.summary);
  };
  const describe = (word: string, text: string) => `'${word}:${zshText(text)}'`;
  const groups = Object.entries(second).map(
    ([word, next]) =>
      `    ${word})
      if ((CURRENT == 3)); then
        local -a next=(${next.map((one) => describe(one, firstSentence(commands[`${word} ${one}`]!.summary))).join(' ')})
        _describe command next; return
      fi
      command="$words[2] $words[3]"; skip=2 ;;`,
  );
  const flags = Object.entries(commands).map(([name, command]) => {
    const specs = flagged(command).map((option) => {
      const value = option.switch ? '' : option.path ? ':path:_files' : `:${zshText(option.unit)}:`;
      return `'--${option.flag}[${zshText(firstSentence(option.description))}]${value}'`;
    });
    const rest = name === 'completion' ? `'1:shell:(${SHELLS.join(' ')})'` : "'*:path:_files'";
    return `    '${name}') _arguments ${[...specs, "'(-h --help)'{-h,--help}'[Prints help]'", rest].join(' ')} ;;`;
  });
  return `#compdef cathedral
# zsh completion for cathedral: cathedral completion zsh
_cathedral() {
  local command skip=1
  if ((CURRENT == 2)); then
    local -a first=(${first.map((word) => describe(word, summaryOf(word))).join(' ')})
    _describe command first; return
  fi
  if [[ $words[2] == help ]]; then
    words=($words[1] \${words[3,-1]}); ((CURRENT--))
    if ((CURRENT > 3)); then return; fi
    _cathedral; return
  fi
  command=$words[2]
  case $command in
${groups.join('\n')}
  esac
  words=("$words[1]" "\${(@)words[2 + skip,-1]}"); ((CURRENT -= skip))
  case $command in
${flags.join('\n')}
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _cathedral "$@"; else compdef _cathedral cathedral; fi
`;
}

function fishText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function fishScript(commands: Commands): string {
  const { first, second } = words(commands);
  const lines = first.map((word) => {
    const summary = second[word]?.join(', ') ?? commands[word]?.summary ?? `Prints ${word}`;
    const condition = 'test (count (__cathedral_words)) -eq 1';
    return `complete -c cathedral -n '${condition}' -f -a ${word} -d ${fishText(firstSentence(summary))}`;
  });
  for (const [name, command] of Object.entries(commands)) {
    const [one = '', two] = name.split(' ');
    const summary = fishText(firstSentence(command.summary));
    if (two !== undefined)
      lines.push(`complete -c cathedral -n '__cathedral_at ${one}' -f -a ${two} -d ${summary}`);
    const condition = `'__cathedral_in ${name}'`;
    for (const option of flagged(command)) {
      const value = option.switch ? '' : option.path ? ' -r -F' : ' -x';
      const description = fishText(firstSentence(option.description));
      lines.push(`complete -c cathedral -n ${condition} -l ${option.flag}${value} -d ${description}`);
    }
    lines.push(`complete -c cathedral -n ${condition} -s h -l help -d 'Prints help'`);
  }
  lines.push(`complete -c cathedral -n '__cathedral_at completion' -f -a '${SHELLS.join(' ')}'`);
  return `# fish completion for cathedral: cathedral completion fish
function __cathedral_words
    set -l tokens (commandline -opc)
    test "$tokens[2]" = help; and set -e tokens[2]
    printf '%s\\n' $tokens
end
function __cathedral_at
    set -l tokens (__cathedral_words)
    test (count $tokens) -eq 2; and test "$tokens[2]" = $argv[1]
end
function __cathedral_in
    set -l tokens (__cathedral_words)
    set -l end (math (count $argv) + 1)
    test (count $tokens) -ge $end; and test "$tokens[2..$end]" = "$argv"
end
${lines.join('\n')}
`;
}
