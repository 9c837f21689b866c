import { expect, test } from 'vitest'
import { providePostgres } from './provide-postgres.ts'

/** A machine without PostgreSQL, and what was run on it. */
function machine(isRoot: boolean, { has = false, fails = '' } = {}): string[] {
  const ran: string[] = []
  providePostgres({
    isRoot,
    hasPostgres: () => has,
    run(command, args) {
      const line = [command, ...args].join(' ')
      ran.push(line)
      return line !== fails
    },
  })
  return ran
}

test('root installs PostgreSQL, without the server that the package would start', () => {
  const [update, noCluster, install, ...others] = machine(true)
  expect(update).toBe('apt-get update')
  expect(noCluster).toContain('create_main_cluster = false')
  expect(install).toBe('apt-get install -y --no-install-recommends postgresql')
  expect(others).toEqual([])
})

test('nothing is installed where it is, or where nobody may', () => {
  expect(machine(true, { has: true })).toEqual([])
  expect(machine(false)).toEqual([])
})

test('where apt-get fails the tests run without it', () => {
  expect(machine(true, { fails: 'apt-get update' })).toEqual(['apt-get update'])
})
