import type { Page } from '@playwright/test'
import { flood } from './make-traffic.ts'
import type { Scene, Shot } from './shot.ts'

let flooding: Promise<void> | undefined

/** One bot sends far more than the exchange takes. */
async function startFlood({ world, bots }: Scene): Promise<void> {
  flooding = flood(world, await world.admin.token(bots.gridBot))
}

async function endFlood({ world, bots }: Scene): Promise<void> {
  await world.admin.dropQueue(bots.gridBot.clientId, 'mx')
  await flooding
}

export const operationsShots: readonly Shot[] = [
  {
    name: 'operations',
    address: '/operations',
    keep: { scheme: 'light', width: 'wide', as: 'operations.png' },
    prepare: async (page, scene) => {
      await startFlood(scene)
      // The chart has the flood a few seconds later than the figures.
      const legend = page.getByRole('listitem').filter({ hasText: /^Orders [1-9]\d$/ })
      await legend.waitFor()
    },
    tidy: (_, scene) => endFlood(scene),
  },
  { name: 'operations-empty', address: '/operations', in: 'empty' },
  {
    name: 'operations-stop-everything',
    address: '/operations',
    isInSight: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Stop everything' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  ...['Halt', 'Stop and cancel'].map((action) => ({
    name: `operations-client-${action.toLowerCase().replaceAll(' ', '-')}`,
    address: '/operations',
    isInSight: true,
    prepare: async (page: Page) => {
      await page.getByRole('button', { name: `${action} grid-bot` }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Set to reducing' }).waitFor()
    },
  })),
]
