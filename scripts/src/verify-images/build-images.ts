import { readFileSync } from 'node:fs'
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
 * Gets the newest base image of each Dockerfile where a registry can be reached, and says so where
 * it takes the one that is there.
 */
export async function pullBases(engine: Engine, report: (line: string) => void): Promise<void> {
  const bases = Object.values(IMAGES).flatMap(({ dockerfile }) =>
    [...readFileSync(dockerfile, 'utf8').matchAll(/^FROM (\S+)/gm)].map(([, base = '']) => base),
  )
  for (const base of new Set(bases)) {
    try {
      await engine.run('pull', '--quiet', base)
    } catch {
      report(`${base} cannot be pulled; the one on this machine is used.`)
    }
  }
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
