import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../console/build/site', import.meta.url))

/**
 * Builds the documentation, unless nothing has changed since the last time, and returns its folder.
 * In a process of its own: the generator prints, and changes the environment.
 */
export async function buildSite(): Promise<string> {
  await promisify(execFile)(process.execPath, [`${root}/build.ts`])
  return `${root}/dist`
}
