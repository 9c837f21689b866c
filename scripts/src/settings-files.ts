import { envExample, envPage, envTable } from 'gateway/env/describe.ts'

/** A file that is made, whole or in part, from the table of settings. */
export interface SettingsFile {
  /** From the root of the repository. */
  readonly path: string
  /** What should stand in it. */
  readonly write: (present: () => string) => string
}

const MARKED = /(?<=<!-- settings -->\n).*(?=\n<!-- \/settings -->)/s

export const settingsFiles: readonly SettingsFile[] = [
  { path: '.env.example', write: envExample },
  { path: 'docs/operations/configuration.md', write: envPage },
  { path: 'README.md', write: (present) => present().replace(MARKED, envTable) },
]
