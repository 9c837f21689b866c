import type { World } from './start-world.ts'

/** One thing that has to hold of the running images. */
export interface Check<Of = World> {
  readonly promise: string
  /** What was found, for the table. @throws when the promise is broken */
  readonly run: (world: Of) => Promise<string>
}

/** @throws with the sentence when it does not hold */
export function expectThat(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise)
}

/** Asks again and again, four times a second. @throws when the check still fails after 60 s */
export async function until(what: string, ask: () => Promise<boolean>): Promise<void> {
  const endsMs = performance.now() + 60_000
  while (!(await ask())) {
    if (performance.now() > endsMs) throw new Error(`Not within 60 s: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

/**
 * Whether a container's own health check passes now. docker runs it by itself, podman when it is
 * asked.
 */
export async function isHealthy({ engine }: Pick<World, 'engine'>, name: string): Promise<boolean> {
  try {
    if (engine.name === 'podman') {
      await engine.run('healthcheck', 'run', name)
      return true
    }
    return (await engine.run('inspect', '--format', '{{.State.Health.Status}}', name)) === 'healthy'
  } catch {
    return false // Not yet; the caller gives up in time.
  }
}

/** Ends a container by its stop signal. Returns its exit code and how long it took. */
export async function stop({ engine }: World, name: string) {
  const startedMs = performance.now()
  await engine.run('stop', '--time', '45', name)
  const exitCode = Number(await engine.run('inspect', '--format', '{{.State.ExitCode}}', name))
  return { exitCode, seconds: ((performance.now() - startedMs) / 1000).toFixed(1) }
}
