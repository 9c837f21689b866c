import { readFileSync } from 'node:fs'
import type { Engine } from './engine.ts'

export const IMAGES = { gateway: 'sluice-gateway', console: 'sluice-console' } as const
export type ImageName = keyof typeof IMAGES

export interface BuiltImage {
  readonly name: ImageName
  readonly seconds: number
  readonly megabytes: number
}

/**
 * Gets the newest base image of each Dockerfile where a registry can be reached, and says so where it takes the one
 * that is there.
 */
export async function pullBases(engine: Engine, tell: (line: string) => void): Promise<void> {
  const bases = Object.keys(IMAGES).flatMap((name) =>
    [...readFileSync(`Dockerfile.${name}`, 'utf8').matchAll(/^FROM (\S+)/gm)].map(
      ([, base = '']) => base,
    ),
  )
  for (const base of new Set(bases)) {
    try {
      await engine.run('pull', '--quiet', base)
    } catch {
      tell(`${base} cannot be pulled; the one on this machine is taken.`)
    }
  }
}

/** Builds an image. `flags` go to the engine's build command as they are. */
export async function buildImage(
  engine: Engine,
  name: ImageName,
  flags: readonly string[],
): Promise<BuiltImage> {
  const startedMs = performance.now()
  // podman's own format has no health check.
  const format = engine.name === 'podman' ? ['--format', 'docker'] : []
  await engine.run(
    'build',
    '--pull=false',
    ...format,
    ...flags,
    '--file',
    `Dockerfile.${name}`,
    '--tag',
    IMAGES[name],
    '.',
  )
  const bytes = Number(await engine.run('image', 'inspect', '--format', '{{.Size}}', IMAGES[name]))
  return {
    name,
    seconds: Math.round((performance.now() - startedMs) / 1000),
    megabytes: Math.round(bytes / 1e6),
  }
}
