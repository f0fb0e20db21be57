import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** A block of code in a tutorial. */
export interface Step {
  language: 'sh' | 'python';
  code: string;
  /** The text between the previous step and this one. */
  prose: string;
  /** What the tutorial shows as its output; null if it shows none. */
  output: string | null;
}

/** The blocks of shell and Python in a tutorial, each with the block of another kind that follows it at once. */
export function stepsOf(markdown: string): Step[] {
  const steps: Step[] = [];
  let end = 0;
  const blocks = /^```(sh|python)\n(.*?)^```\n(?:\n```(?!sh|python)\w*\n(.*?)^```\n)?/gms;
  for (const match of markdown.matchAll(blocks)) {
    const [all, language, code = '', output = null] = match;
    steps.push({ language: language as 'sh', code, output, prose: markdown.slice(end, match.index) });
    end = match.index + all.length;
  }
  return steps;
}

/** Of an output, what is the same every day: words, members and layout; not numbers, dates, hashes and keys. */
export function shapeOf(output: string): string {
  return output
    .replaceAll(/[A-Za-z0-9+/]{43,}=*/g, 'key')
    .replaceAll(/\b(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{8,}\b/g, 'hash')
    .replaceAll(/-?\d+(\.\d+)?(e[-+]?\d+)?/g, '0')
    .replaceAll(/(?<=\S) +/g, ' ');
}

export interface TutorialRun {
  /** Standard output of each step. */
  outputs: string[];
  /** Standard error of all of them, and the log of the service. */
  log: string;
}

export interface Machine {
  /** Folder for all that the run writes. */
  folder: string;
  /** Where the package was unpacked and set up, which is /opt/cathedral in the tutorials. */
  installation: string;
  /** A free port of this machine, which stands for those of the tutorials and for the public address. */
  port: number;
  path: string;
  /** How far the clock is ahead, for faketime: `+8d`. Null leaves it alone. */
  ahead: string | null;
  /** A folder whose copy the steps find as their home: a demo that was published before. */
  home?: string;
}

/**
 * Executes the steps of a tutorial in one shell, as root, in a mount namespace of its own: whatever they write below /etc, /opt and
 * /var/lib disappears with it. A step that begins with `cathedral start` runs until the prose says to stop the service. There is no
 * systemd in a test, so `systemctl` starts the unit as systemd would: its user, environment, credentials and command. Throws with the
 * log if a command fails.
 */
export async function runTutorial(steps: readonly Step[], machine: Machine): Promise<TutorialRun> {
  const { folder, port, path, ahead } = machine;
  const names = ['etc', 'lib', 'bin', 'opt'].flatMap((name) => [name, `${name}-work`]);
  for (const name of [...names, 'out', 'python']) await mkdir(join(folder, name));
  const home = join(folder, 'home');
  if (machine.home === undefined) await mkdir(home);
  else await cp(machine.home, home, { recursive: true, verbatimSymlinks: true });
  const script = [
    prelude(machine),
    ...steps.map((step, index) =>
      [
        /[Ss]top the service/.test(step.prose) ? 'stop' : '',
        `exec > '${join(folder, 'out', `${index}`)}'`,
        step.language === 'sh' ? commandsOf(step, machine) : `python $(seq 0 ${index})`,
      ].join('\n'),
    ),
    'stop',
  ];
  await writeFile(join(folder, 'tutorial.sh'), script.join('\n'));
  for (const [index, step] of steps.entries())
    if (step.language === 'python')
      await writeFile(join(folder, 'python', `${index}`), withAddresses(step, machine));
  const log = createWriteStream(join(folder, 'log'));
  const command = ['unshare', '--mount', 'bash', '-eu', join(folder, 'tutorial.sh')];
  // The monotonic clock stays, so that time-outs last as long as they should.
  if (ahead !== null) command.unshift('faketime', '-m', '--exclude-monotonic', '-f', ahead);
  const shell = spawn(command[0]!, command.slice(1), {
    cwd: home,
    env: {
      PATH: `/opt/cathedral/bin:/usr/sbin:${path}`,
      HOME: home,
      PORT: `${port}`,
      TZ: 'UTC',
      ...WITHOUT_PDF,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  shell.stdout.pipe(log, { end: false });
  shell.stderr.pipe(log, { end: false });
  const [status] = await once(shell, 'exit');
  log.end();
  await once(log, 'close');
  const text = await readFile(join(folder, 'log'), 'utf8');
  if (status !== 0) throw new Error(`the tutorial ended with ${status}:\n${text.slice(-8000)}`);
  const outputs = await Promise.all(
    steps.map((_, index) => readFile(join(folder, 'out', `${index}`), 'utf8').catch(() => '')),
  );
  return { outputs, log: text };
}

/** Chromium and the clock of faketime do not go together, and how PDFs are printed is tested elsewhere. */
const WITHOUT_PDF = { CATHEDRAL_WITHOUT_PDF: 'true' };

/** Publishes a demo of the last eight days in `machine.folder`, with the clock of the machine, and stops it. */
export async function publishDemo(machine: Machine): Promise<string> {
  const code = (text: string): Step => ({ language: 'sh', code: text, prose: '', output: null });
  await runTutorial(
    [
      code('cathedral sample --from $(date -u -d "8 days ago" +%F)\n'),
      code('cathedral start --demo\n'),
      { ...code('rm -r var/keys var/limits\n'), prose: 'Stop the service.' },
    ],
    machine,
  );
  return join(machine.folder, 'home');
}

const succeeds = (program: string, ...args: string[]) =>
  execute(program, args).then(
    () => true,
    () => false,
  );

/** The Python that has pandas: a newer one than Debian's may come first on the path. */
const PYTHON = (await succeeds('python3', '-c', 'import pandas')) ? 'python3' : '/usr/bin/python3';

/** Whether the machine lets this user have a mount namespace, and has the programs for all steps and for the clock. */
export async function canRunTutorials(): Promise<boolean> {
  return (
    process.getuid?.() === 0 &&
    (await succeeds('unshare', '--mount', 'true')) &&
    (await succeeds('faketime', '-f', '+8d', 'true')) &&
    (await succeeds('sqlite3', '--version')) &&
    (await succeeds(PYTHON, '-c', 'import pandas'))
  );
}

function withAddresses({ code }: Step, { port }: Machine): string {
  return code
    .replaceAll('https://data.example.org', `http://localhost:${port}`)
    .replaceAll(/\b(localhost:|PORT=)(8080|9000)\b/g, `$1${port}`);
}

function commandsOf(step: Step, machine: Machine): string {
  const code = withAddresses(step, machine).replaceAll('cds_government_…', '$(key)');
  // The set-up of the test has done that, with the same commands.
  const rest = code.replace(/^umask .*\nmkdir .*\ntar .*\nsh .*setup\.sh\n/m, '');
  return rest.startsWith('cathedral start') ? `${rest.trimEnd()} >&2 & service=$!\nready` : rest;
}

function prelude({ folder, installation }: Machine): string {
  const overlay = (path: string, name: string) =>
    `mount -t overlay overlay -o lowerdir=${path},upperdir=${folder}/${name},workdir=${folder}/${name}-work ${path}`;
  return `
${overlay('/etc', 'etc')}
${overlay('/var/lib', 'lib')}
${overlay('/usr/local/bin', 'bin')}
${overlay('/opt', 'opt')}
mkdir -p /opt/cathedral
mount --bind '${installation}' /opt/cathedral
mkdir -p /run/credentials
mount -t tmpfs tmpfs /run/credentials
service=
announced() {
  grep -cs '^Ready: ' '${folder}/log' || :
}
# The service says so when a whole release is there; it answers before, with the data files.
ready() {
  before=$(announced)
  for _ in $(seq 600); do
    if [ "$(announced)" -gt "$before" ] && curl -sf http://localhost:$PORT/readyz >/dev/null; then return; fi
    kill -0 $service
    sleep 0.5
  done
  return 1
}
stop() {
  [ -n "$service" ] || return 0
  kill -TERM $service
  wait $service
  service=
}
trap 'test -z "$service" || kill -KILL $service' EXIT
# The key that a command or the service printed last.
key() {
  cat '${folder}'/out/* '${folder}/log' | grep -o 'cds_government_[A-Za-z0-9_-]*' | tail -1
}
# The block of the last number, after those before it, whose output was shown already.
python() {
  ${PYTHON} -c 'import contextlib, io, os, sys
*before, last = [f"${folder}/python/{number}" for number in sys.argv[1:]]
with contextlib.redirect_stdout(io.StringIO()):
    for file in before:
        if os.path.exists(file): exec(open(file).read())
exec(open(last).read())' "$@"
}
# Of faketime. A program has to get it as the user that it runs as, because a semaphore comes with it.
clock() {
  env | grep -E '^(LD_PRELOAD|FAKETIME|FAKETIME_DONT_FAKE_MONOTONIC)=' || :
}
systemctl() {
  [ "$1" = daemon-reload ] && return
  [ "$*" = "enable --now cathedral" ]
  systemd-analyze verify /etc/systemd/system/cathedral.service >&2
  unit=$(cat /etc/systemd/system/cathedral.service /etc/systemd/system/cathedral.service.d/*.conf)
  values() { echo "$unit" | sed -n "s/^$1=//p"; }
  user=$(values User)
  credentials=/run/credentials/cathedral.service
  install -d -m 700 -o "$user" $credentials
  values LoadCredential | while IFS=: read -r name file; do
    install -m 400 -o "$user" "$file" "$credentials/$name"
  done
  install -d -o "$user" /var/lib/$(values StateDirectory)
  {
    values Environment | grep -v ^NODE_COMPILE_CACHE | sed "s,%d,$credentials,"
    values EnvironmentFile | while read -r file; do
      case $file in
        -*) [ ! -e "\${file#-}" ] || cat "\${file#-}" ;;
        *) cat "$file" ;;
      esac
    done
    env | grep ^CATHEDRAL_WITHOUT_PDF=
  } | grep '^[A-Z_]*=' >${folder}/environment
  cd "$(values WorkingDirectory)"
  env -i PATH="$PATH" PORT="$PORT" $(cat ${folder}/environment) \\
    setpriv --reuid "$user" --regid "$user" --init-groups env $(clock) $(values ExecStart) >&2 & service=$!
  cd - >&2
  ready
}`;
}
