import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROJECT } from '../../pipeline/config/project.ts';
import { runHere } from './run-cli.ts';

const isInstalled = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

/** In an interactive zsh, the only one that completes: prints what `compadd` is given. */
const ZSH_RC = `PS1= PS2=
fpath=($ASK_FOLDER $fpath)
autoload -Uz compinit; compinit -u -D
compadd() { local -a kept; builtin compadd -O kept "$@"; print; print -rl -- "OFFER "\${^kept}; builtin compadd "$@"; }
zle -C offer complete-word offer
offer() { _main_complete; compstate[insert]=; compstate[list]=; print -r -- END-OF-OFFERS; }
bindkey '^I' offer
print READY-$((1+1))
`;

/** Prints what a shell offers at the end of the line $2, with the completion script $1. */
const ASK = {
  bash: `source "$1"; line=$2
read -ra COMP_WORDS <<< "$line"; if [[ $line == *' ' ]]; then COMP_WORDS+=(''); fi
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _cathedral; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "ASK_FOLDER=\${1:h}; source \${1:h}/rc.zsh"
zpty -r shell text '*READY-2*'
zpty -w -n shell "$2"$'\\t'
zpty -r shell text '*END-OF-OFFERS*'
print -r -- "$text"
zpty -d shell`,
  fish: 'source $argv[1]; complete -C $argv[2]',
} as const;

describe.each(Object.keys(ASK) as (keyof typeof ASK)[])('completion in %s', (shell) => {
  let script = '';
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cathedral-completion-'));
    script = join(folder, shell === 'zsh' ? '_cathedral' : `cathedral.${shell}`);
    const { stdout } = await runHere('completion', [shell]);
    writeFileSync(script, stdout);
    writeFileSync(join(folder, 'rc.zsh'), ZSH_RC);
  });

  afterAll(() => rmSync(dirname(script), { recursive: true, force: true }));

  function offered(line: string): string[] {
    const args = shell === 'fish' ? [script, line] : [shell, script, line];
    const { stdout, stderr, status } = spawnSync(shell, ['-c', ASK[shell], ...args], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    const lines = stdout.split(/\r?\n/);
    const own = shell === 'zsh' ? lines.flatMap((text) => /^OFFER (.+)$/.exec(text)?.[1] ?? []) : lines;
    return own.map((text) => text.split('\t')[0]!).filter((text) => text !== '');
  }

  const here = test.skipIf(!isInstalled(shell));

  here.each([
    ['cathedral ', ['start', 'keys', 'help'], ['issue']],
    ['cathedral keys ', ['issue', 'verify-email'], ['start']],
    ['cathedral help ', ['build', 'attest'], ['issue']],
    ['cathedral help keys ', ['issue', 'revoke'], ['build']],
    ['cathedral build --', ['--ledger', '--rebuild', '--json'], ['--tier']],
    ['cathedral keys issue --', ['--tier', '--key-days', '--help'], ['--rebuild']],
    ['cathedral completion ', ['bash', 'zsh', 'fish'], ['start']],
  ])('after “%s” offers %j', (line, expected, others) => {
    const offers = offered(line);
    expect(offers).toEqual(expect.arrayContaining(expected));
    for (const other of others) expect(offers).not.toContain(other);
  });

  here('offers paths after a flag that takes one', () => {
    const offers = offered(`cathedral build --out ${join(PROJECT, 'pack')}`);
    expect(offers.some((offer) => offer.endsWith('package.json'))).toBe(true);
  });
});
