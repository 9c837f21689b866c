import { spawnSync } from 'node:child_process'
import { findPostgres } from '../../gateway/test/support/find-postgres.ts'
import { findPromtool, PROMTOOL_FOLDER } from '../../gateway/test/support/find-promtool.ts'

/** A program that some tests need and that apt-get has. */
export interface Tool {
  readonly isThere: () => boolean
  /** What has to succeed, one command after the other, to get it. */
  readonly installation: readonly (readonly [command: string, ...args: string[]])[]
}

export interface Machine {
  readonly isRoot: boolean
  /** Runs a command to its end; whether it succeeded. */
  readonly run: (command: string, args: readonly string[]) => boolean
}

const thisMachine: Machine = {
  isRoot: process.getuid?.() === 0,
  // What goes wrong, the command says on stderr. One that does not exist has failed.
  run: (command, args) =>
    spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0,
}

/** Debian makes a server of its own with the package and starts it; the tests start theirs. */
const NO_CLUSTER =
  'mkdir -p /etc/postgresql-common/createcluster.d && echo "create_main_cluster = false" > /etc/postgresql-common/createcluster.d/no-main-cluster.conf'

export const POSTGRES: Tool = {
  isThere: () => findPostgres() !== undefined,
  installation: [
    ['apt-get', 'update'],
    ['sh', '-c', NO_CLUSTER],
    ['apt-get', 'install', '-y', '--no-install-recommends', 'postgresql'],
  ],
}

/** Its package starts a server when it is installed, so it is only unpacked. */
const UNPACK = `mkdir -p "$0" && cd "$0" && apt-get -o APT::Sandbox::User=root download prometheus &&
  dpkg --fsys-tarfile prometheus_*.deb | tar -x ./usr/bin/promtool && rm prometheus_*.deb`

export const PROMTOOL: Tool = {
  isThere: () => findPromtool() !== undefined,
  installation: [
    ['apt-get', 'update'],
    ['sh', '-c', UNPACK, PROMTOOL_FOLDER],
  ],
}

/**
 * Gets a tool with apt-get where there is none, as root. Without it the tests that need it are
 * skipped, so a failure here is none of the run.
 */
export function provideTool(
  { isThere, installation }: Tool,
  { isRoot, run }: Machine = thisMachine,
): void {
  if (isThere() || !isRoot) return
  for (const [command, ...args] of installation) if (!run(command, args)) return
}
