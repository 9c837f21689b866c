import type { Page } from '@playwright/test'
import type { Bot } from './seed-clients.ts'
import type { NewSecret, World } from './start-world.ts'

/** What a shot may use besides the page. */
export interface Scene {
  readonly world: World
  readonly bots: Record<Bot, NewSecret>
}

/** One picture: an address, and what a person does there before it is taken. */
export interface Shot {
  /** The file's name, without scheme and width. */
  readonly name: string
  readonly address: string
  /**
   * `seeded` when absent; `empty` is a gateway that nobody used yet, `signed-out` shows no session.
   */
  readonly in?: 'seeded' | 'empty' | 'signed-out'
  /** Only what is in sight; absent: the whole page, however long. */
  readonly isInSight?: boolean
  readonly prepare?: (page: Page, scene: Scene) => Promise<void>
  /** Puts right what was changed. */
  readonly tidy?: (page: Page, scene: Scene) => Promise<void>
  /** Kept for the README when it is taken in this scheme and width. */
  readonly keep?: { readonly scheme: Scheme; readonly width: Width; readonly as: string }
}

export type Scheme = 'light' | 'dark'
export type Width = 'wide' | 'narrow'
