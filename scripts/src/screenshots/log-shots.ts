import { listLogs } from 'schema'
import type { Shot } from './shot.ts'

export const logShots: readonly Shot[] = [
  {
    name: 'logs',
    address: '/logs',
    keep: { scheme: 'dark', width: 'wide', as: 'logs.png' },
  },
  { name: 'logs-filtered', address: '/logs?q=spot&status=error' },
  { name: 'logs-empty', address: '/logs', in: 'empty' },
  { name: 'logs-no-match', address: '/logs?q=no-such-client' },
  {
    name: 'logs-detail',
    address: '/logs?status=error',
    isInSight: true,
    prepare: async (page) => {
      const table = page.getByRole('table', { name: 'Recent API Calls' })
      await table
        .getByRole('button', { name: /^[A-Z][a-z]{2} \d/ })
        .first()
        .click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'logs-loading',
    address: '/logs',
    prepare: async (page) => {
      // Held until the page is left.
      await page.route(`**${listLogs.path}`, () => {})
      await page.reload()
      await page.getByTestId('log-skeleton').waitFor()
    },
    tidy: (page) => page.unrouteAll({ behavior: 'ignoreErrors' }),
  },
]
