import { expect, test } from 'vitest'
import { POSTGRES, PROMTOOL, provideTool, type Tool } from './provide-tools.ts'

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

test('promtool is unpacked, and its server is not installed', () => {
  const ran = ranFor(PROMTOOL, true)
  expect(ran[0]).toBe('apt-get update')
  expect(ran[1]).toContain('tar -x ./usr/bin/promtool')
  expect(ran.join()).not.toContain('install')
})

test('nothing is installed where it is, or where nobody may', () => {
  expect(ranFor(POSTGRES, true, { has: true })).toEqual([])
  expect(ranFor(POSTGRES, false)).toEqual([])
})

test('where apt-get fails the tests run without it', () => {
  expect(ranFor(POSTGRES, true, { fails: 'apt-get update' })).toEqual(['apt-get update'])
})
