import { expect, test } from 'vitest'
import { POSTGRES, provideTool, type Tool, UNPACKED } from './provide-tools.ts'

/** What was run to get a tool on a machine. */
function ranFor(tool: Tool, isRoot: boolean, { has = false, fails = '' } = {}): string[] {
  const ran: string[] = []
  provideTool(
    { ...tool, isThere: () => has },
    {
      isRoot,
      run(command, args) {
        const line = [command, ...args].join(' ')
        ran.push(line)
        return line !== fails
      },
    },
  )
  return ran
}

test('root installs PostgreSQL, without the server that the package would start', () => {
  const [update, noCluster, install, ...others] = ranFor(POSTGRES, true)
  expect(update).toBe('apt-get update')
  expect(noCluster).toContain('create_main_cluster = false')
  expect(install).toBe('apt-get install -y --no-install-recommends postgresql')
  expect(others).toEqual([])
})

test('other programs are unpacked, and servers of their packages are not installed', () => {
  const ran = UNPACKED.flatMap((tool) => ranFor(tool, true))
  expect(ran.map((line) => line.split(' ').at(-1))).toEqual(
    ['caddy', 'promtool', 'restic'].flatMap((program) => ['update', program]),
  )
  expect(ran.join()).not.toContain('install')
})

test('nothing is installed where it is, or where nobody may', () => {
  expect(ranFor(POSTGRES, true, { has: true })).toEqual([])
  expect(ranFor(POSTGRES, false)).toEqual([])
})

test('where apt-get fails the tests run without it', () => {
  expect(ranFor(POSTGRES, true, { fails: 'apt-get update' })).toEqual(['apt-get update'])
})
