import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** A block of commands in a tutorial. */
export interface Step {
  commands: string;
  /** The text between the previous step and this one. */
  prose: string;
  /** What the tutorial shows as their output; null if it shows none. */
  output: string | null;
}

/** The blocks marked `sh` in a tutorial, each with the unmarked block that follows it at once. */
export function stepsOf(markdown: string): Step[] {
  const steps: Step[] = [];
  let end = 0;
  for (const match of markdown.matchAll(/^```sh\n(.*?)^```\n(?:\n```\n(.*?)^```\n)?/gms)) {
    const [all, commands = '', output = null] = match;
    steps.push({ commands, output, prose: markdown.slice(end, match.index) });
    end = match.index + all.length;
  }
  return steps;
}

export interface TutorialRun {
  /** Standard output of each step. */
  outputs: string[];
  /** Standard error of all of them, and the log of the service. */
  log: string;
}

interface Machine {
  /** Folder for all that the run writes. */
  folder: string;
  /** Where npm installed the package. */
  prefix: string;
  /** A free port of this machine, which stands for 8080 and for the port of the public address. */
  port: number;
  path: string;
}

/**
 * Executes the steps of a tutorial in one shell, as root, in a mount namespace of its own: whatever they write below /etc and /var/lib
 * disappears with it. A step that begins with `cathedral start` runs until the prose says to stop it. There is no systemd in a
 * test, so `systemctl` starts the unit as systemd would: its user, environment, credentials and command. Throws with the log if a
 * command fails.
 */
export async function runTutorial(steps: readonly Step[], machine: Machine): Promise<TutorialRun> {
  const { folder, prefix, port, path } = machine;
  for (const name of ['home', 'etc', 'etc-work', 'lib', 'lib-work', 'bin', 'bin-work', 'out'])
    await mkdir(join(folder, name));
  const local = (text: string) =>
    text.replaceAll('https://data.example.org', `http://localhost:${port}`).replaceAll(':8080', `:${port}`);
  const script = [
    prelude(folder, prefix),
    ...steps.flatMap(({ commands, prose }, index) => [
      ...(prose.includes('Stop the service with Ctrl-C') ? ['stop'] : []),
      // The set-up of the test has done that with the same command.
      ...(commands.startsWith('npm install -g') ? [commands.replace(/^npm install .*\n/, '')] : [commands])
        .map(local)
        .map((text) => `exec > '${join(folder, 'out', `${index}`)}'\n${asService(text)}`),
    ]),
    'stop',
  ].join('\n');
  await writeFile(join(folder, 'tutorial.sh'), script);
  const log = createWriteStream(join(folder, 'log'));
  const shell = spawn('unshare', ['--mount', 'bash', '-eu', join(folder, 'tutorial.sh')], {
    env: {
      PATH: `${join(prefix, 'bin')}:/usr/sbin:${path}`,
      HOME: join(folder, 'home'),
      npm_config_prefix: prefix,
      PORT: `${port}`,
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

/** Whether the machine lets this user have a mount namespace. */
export async function hasNamespaces(): Promise<boolean> {
  return execute('unshare', ['--mount', 'true']).then(
    () => process.getuid?.() === 0,
    () => false,
  );
}

/** A step whose command is the service runs beside the others. */
function asService(commands: string): string {
  return commands.startsWith('cathedral start') ? `${commands.trimEnd()} >&2 & service=$!\nready` : commands;
}

function prelude(folder: string, prefix: string): string {
  return `
mount -t overlay overlay -o lowerdir=/etc,upperdir=${folder}/etc,workdir=${folder}/etc-work /etc
mount -t overlay overlay -o lowerdir=/var/lib,upperdir=${folder}/lib,workdir=${folder}/lib-work /var/lib
# Where systemd looks for programs, and npm installs them by default.
mount -t overlay overlay -o lowerdir=/usr/local/bin,upperdir=${folder}/bin,workdir=${folder}/bin-work /usr/local/bin
ln -sf ${prefix}/bin/cathedral /usr/local/bin/cathedral
mkdir -p /run/credentials
mount -t tmpfs tmpfs /run/credentials
service=
ready() {
  for _ in $(seq 600); do
    if curl -sf http://localhost:$PORT/readyz >/dev/null; then return; fi
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
    values Environment | sed "s,%d,$credentials,"
    values EnvironmentFile | while read -r file; do
      case $file in
        -*) [ ! -e "\${file#-}" ] || cat "\${file#-}" ;;
        *) cat "$file" ;;
      esac
    done
  } | grep '^[A-Z_]*=' >${folder}/environment
  cd "$(values WorkingDirectory)"
  env -i PATH="$PATH" PORT="$PORT" $(cat ${folder}/environment) \\
    setpriv --reuid "$user" --regid "$user" --init-groups $(values ExecStart) >&2 & service=$!
  cd - >&2
  ready
}`;
}
