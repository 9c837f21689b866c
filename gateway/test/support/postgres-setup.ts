import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { findPostgres, NO_POSTGRES } from './find-postgres.ts'
import { stopCluster } from './postgres-cluster.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the first test that needs PostgreSQL starts it; undefined: it is not installed. */
    readonly postgres: { readonly binaries: string; readonly folder: string } | undefined
  }
}

/**
 * One PostgreSQL for a whole run of the tests: the first test that needs it starts it
 * (`postgres.ts`), and it ends with the run. A run without such tests takes no time for it.
 */
export default function setup(project: TestProject): (() => Promise<void>) | undefined {
  const binaries = findPostgres()
  if (binaries === undefined) {
    console.warn(NO_POSTGRES)
    project.provide('postgres', undefined)
    return undefined
  }
  const folder = mkdtempSync(join(tmpdir(), 'sluice-postgres-'))
  project.provide('postgres', { binaries, folder })
  return async () => {
    await stopCluster(folder)
    rmSync(folder, { recursive: true, force: true })
  }
}
