import { spawnSync } from 'node:child_process'
import { findPostgres } from '../../gateway/test/support/find-postgres.ts'

export interface Machine {
  readonly isRoot: boolean
  readonly hasPostgres: () => boolean
  /** Runs a command to its end; whether it succeeded. */
  readonly run: (command: string, args: readonly string[]) => boolean
}

const thisMachine: Machine = {
  isRoot: process.getuid?.() === 0,
  hasPostgres: () => findPostgres() !== undefined,
  // What goes wrong, the command says on stderr. One that does not exist has failed.
  run: (command, args) =>
    spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0,
}

/** Debian makes a server of its own with the package and starts it; the tests start theirs. */
const NO_CLUSTER =
  'mkdir -p /etc/postgresql-common/createcluster.d && echo "create_main_cluster = false" > /etc/postgresql-common/createcluster.d/no-main-cluster.conf'

const INSTALLATION: readonly (readonly [command: string, ...args: string[]])[] = [
  ['apt-get', 'update'],
  ['sh', '-c', NO_CLUSTER],
  ['apt-get', 'install', '-y', '--no-install-recommends', 'postgresql'],
]

/**
 * Installs PostgreSQL with apt-get where there is none, as root. Without it the tests that need it
 * are skipped, so a failure here is none of the run.
 */
export function providePostgres(machine: Machine = thisMachine): void {
  if (machine.hasPostgres() || !machine.isRoot) return
  for (const [command, ...args] of INSTALLATION) if (!machine.run(command, args)) return
}
