import { spawnSync } from 'node:child_process'
import { command, runAsProcess } from './cli.ts'

const USAGE = `Usage:
  npm run migration -- --name NAME
  npm run migration -- --name NAME --custom

Compares the tables of SQLite and of PostgreSQL with their last migrations, and writes the next ones to gateway/drizzle and
gateway/drizzle-postgres. With --custom they are empty, for SQL that is written by hand.`

/** One for each kind of database. */
const CONFIGS = ['gateway/drizzle.config.ts', 'gateway/drizzle-postgres.config.ts'] as const

export const run = command({
  usage: USAGE,
  options: { name: { type: 'string' }, custom: { type: 'boolean' } },
  async run({ name, custom = false }, _positionals, { env }) {
    const options = [
      ...(name === undefined ? [] : ['--name', name]),
      ...(custom ? ['--custom'] : []),
    ]
    for (const config of CONFIGS) {
      const { status } = spawnSync(
        'npx',
        ['drizzle-kit', 'generate', '--config', config, ...options],
        {
          env,
          stdio: 'inherit',
        },
      )
      if (status !== 0) return 1
    }
    return 0
  },
})

await runAsProcess(import.meta, run)
