import { baseImages } from '../base-images.ts'
import type { Engine } from './engine.ts'

export const IMAGES = {
  gateway: { tag: 'sluice-gateway', dockerfile: 'Dockerfile.gateway' },
  paper: { tag: 'sluice-paper-exchange', dockerfile: 'gateway/paper-exchange/Dockerfile' },
  console: { tag: 'sluice-console', dockerfile: 'Dockerfile.console' },
} as const
export type ImageName = keyof typeof IMAGES

export interface BuiltImage {
  readonly name: ImageName
  readonly seconds: number
  readonly megabytes: number
}

/**
 * Gets the base image of each Dockerfile where a registry can be reached: the pinned one, or the
 * newest. Elsewhere the one on this machine with the same tag is used, and reported.
 * @returns flags for the build command
 */
export async function pullBases(
  engine: Engine,
  report: (line: string) => void,
): Promise<readonly string[]> {
  const flags: string[] = []
  for (const { tag, digest, argument } of baseImages()) {
    if (argument === undefined) continue
    try {
      await engine.run('pull', '--quiet', `${tag}${digest}`)
    } catch {
      report(`${tag}${digest} cannot be pulled; the ${tag} on this machine is used.`)
      if (digest !== '') flags.push('--build-arg', `${argument}=${tag}`)
    }
  }
  return flags
}

/** Builds an image. `flags` go to the engine's build command as they are. */
export async function buildImage(
  engine: Engine,
  name: ImageName,
  flags: readonly string[],
): Promise<BuiltImage> {
  const { tag, dockerfile } = IMAGES[name]
  const startedMs = performance.now()
  // podman's own format has no health check.
  const format = engine.name === 'podman' ? ['--format', 'docker'] : []
  await engine.run(
    'build',
    '--pull=false',
    ...format,
    ...flags,
    '--file',
    dockerfile,
    '--tag',
    tag,
    '.',
  )
  const bytes = Number(await engine.run('image', 'inspect', '--format', '{{.Size}}', tag))
  return {
    name,
    seconds: Math.round((performance.now() - startedMs) / 1000),
    megabytes: Math.round(bytes / 1e6),
  }
}
