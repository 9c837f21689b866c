import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = fileURLToPath(new URL('../../console', import.meta.url))

/** Builds the console's static files and returns their folder. Takes a few seconds. */
export async function buildConsole(): Promise<string> {
  await build({ root, logLevel: 'error' })
  return `${root}/dist`
}
