import { type Check, expectThat, isHealthy, until } from './check.ts'
import type { Engine } from './engine.ts'
import type { World } from './start-world.ts'

/** What holds of each container before anybody uses it. */
export const containerChecks: readonly Check[] = (['gateway', 'paper', 'console'] as const).flatMap(
  (part) => [
    {
      promise: `${part}: healthy`,
      run: async (world: World) => {
        const startedMs = performance.now()
        await until(`the ${part} is healthy`, () => isHealthy(world, world.names[part]))
        return `after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`
      },
    },
    {
      promise: `${part}: runs as non-root, without capabilities`,
      run: async ({ engine, names }: World) => {
        const status = await engine.run('exec', names[part], 'cat', '/proc/1/status')
        const uid = /^Uid:\s+(\d+)/m.exec(status)?.[1]
        const capabilities = /^CapEff:\s+(\w+)/m.exec(status)?.[1]
        expectThat(uid !== undefined && uid !== '0', `it runs as user ${uid}`)
        expectThat(capabilities === '0000000000000000', `it has capabilities ${capabilities}`)
        return `user ${uid}`
      },
    },
    {
      promise: `${part}: its root file system is read-only`,
      run: async ({ engine, names }: World) => {
        const mounts = await engine.run('exec', names[part], 'cat', '/proc/1/mounts')
        const root = mounts.split('\n').find((line) => line.split(' ')[1] === '/')
        const options = root?.split(' ')[3]?.split(',') ?? []
        expectThat(options.includes('ro'), `mounted as ${options.join(',')}`)
        return ''
      },
    },
  ],
)

/** No part of the product, or of no use to an operator. */
const FOREIGN = /paper-exchange|simulation|\.test\.|\/test(s|\/|$)|\/e2e/

/** What is in the images, and what is not. */
export const contentChecks: readonly Check[] = [
  {
    promise: 'gateway: no package for development in it',
    run: async ({ engine, names }) => {
      const list = await engine.run('exec', names.gateway, 'ls', '/app/node_modules')
      const packages = list.split('\n')
      const found = ['vitest', 'typescript', 'vite', '@biomejs', 'ccxt', 'react'].filter((name) =>
        packages.includes(name),
      )
      expectThat(found.length === 0, `there is ${found.join(', ')}`)
      return `${packages.length} folders`
    },
  },
  ...(['gateway', 'console'] as const).map((part) => ({
    promise: `${part}: its label leads to its bill of materials`,
    run: async ({ engine, names }: World) => {
      const format = '{{index .Config.Labels "sluice.sbom"}}'
      const path = await engine.run('container', 'inspect', '--format', format, names[part])
      const { bomFormat, components } = JSON.parse(
        await engine.run('exec', names[part], 'cat', path),
      )
      expectThat(bomFormat === 'CycloneDX', `it is ${bomFormat}`)
      const known = part === 'gateway' ? 'better-sqlite3' : 'react'
      const isListed = components.some(({ name }: { name: string }) => name === known)
      expectThat(isListed, `it does not have ${known}`)
      return `${components.length} components`
    },
  })),
  {
    promise: 'gateway: no paper exchange, no test and no simulation in it',
    run: async ({ engine, names }) => {
      const packages = await engine.run('exec', names.gateway, 'ls', '/app/node_modules')
      const files = await sourcesIn(engine, names.gateway)
      const found = [...packages.split('\n'), ...files].filter((path) => FOREIGN.test(path))
      expectThat(found.length === 0, `there is ${found.join(', ')}`)
      return `${files.length} files of the project`
    },
  },
  {
    promise: 'paper: no code of the gateway in it',
    run: async ({ engine, names }) => {
      const files = await sourcesIn(engine, names.paper)
      const found = files.filter((path) => /\.ts$/.test(path) && !path.includes('paper-exchange'))
      expectThat(found.length === 0, `there is ${found.join(', ')}`)
      return `${files.length} files of the project`
    },
  },
  {
    promise: 'gateway: the data folder is its own and closed to others',
    run: async ({ engine, names }) => {
      const modes = await engine.run('exec', names.gateway, 'stat', '-c', '%U %a', '/data')
      expectThat(modes === 'node 700', `it is ${modes}`)
      return modes
    },
  },
]

/** The files of an image that are not of a package from elsewhere. */
async function sourcesIn(engine: Engine, container: string): Promise<string[]> {
  const withoutPackages = ['-name', 'node_modules', '-prune', '-o', '-type', 'f', '-print']
  return (await engine.run('exec', container, 'find', '/app', ...withoutPackages)).split('\n')
}
