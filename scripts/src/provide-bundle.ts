import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { freshBundle } from 'gateway/fresh-bundle.js'

interface BundleSource {
  /** Of exactly the sources that are here; undefined when there is none. */
  readonly find: () => URL | undefined
  /** @returns the path of the file that Node runs */
  readonly build: () => Promise<string>
}

/** Of two that want it at the same time, one builds. */
let building: Promise<string> | undefined

const SOURCE: BundleSource = {
  find: freshBundle,
  async build() {
    const { buildGateway } = await import('./build-gateway.ts')
    building ??= buildGateway()
    return building
  },
}

/**
 * The bundle of the gateway, for commands that start it: it is built when there is none, and a line
 * says so.
 * @returns the path of the file that Node runs
 */
export async function provideBundle(
  { find, build }: BundleSource = SOURCE,
  print: (line: string) => void = console.log,
): Promise<string> {
  const found = find()
  if (found !== undefined) return fileURLToPath(found)
  print('Building the gateway first: from its sources each start takes five times as long.')
  return build()
}

/**
 * The folder of the console's files: built from its sources, or as a release brings it, which has
 * neither its sources nor a builder.
 */
export async function provideConsole(): Promise<string> {
  if (!existsSync(new URL('../../console/src', import.meta.url)))
    return fileURLToPath(new URL('../../console/dist', import.meta.url))
  const { buildConsole } = await import('./build.ts')
  return buildConsole()
}
