import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** An empty folder that goes with the test, or with what `onEnd` belongs to. */
export function tempFolder(onEnd: (remove: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
