import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where `npm test` unpacks the package that has it. */
export const PROMTOOL_FOLDER = fileURLToPath(new URL('../../../.cache/promtool', import.meta.url))

const UNPACKED = `${PROMTOOL_FOLDER}/usr/bin/promtool`

/** The command that runs promtool, which tests rules of Prometheus; undefined without one. */
export function findPromtool(): string | undefined {
  if (existsSync(UNPACKED)) return UNPACKED
  return spawnSync('promtool', ['--version']).error === undefined ? 'promtool' : undefined
}
