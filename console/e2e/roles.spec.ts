import type { Page } from '@playwright/test'
import { getClientLimits, type Role, stopClient } from 'schema'
import { expectAccessible } from './support/axe.ts'
import { limitsOf } from './support/samples.ts'
import { expect, SESSION, storeSession, test } from './support/test.ts'

const states = (page: Page) => page.getByRole('radiogroup', { name: 'State of the client' })
const why = (needed: Role, mine: Role) => `This needs the role ${needed}; yours is ${mine}.`

async function openAs(page: Page, role: Role): Promise<void> {
  await storeSession(page, SESSION.token, JSON.stringify({ ...SESSION.user, role }))
  await page.goto('/client-credentials/7')
  await expect(states(page)).toBeVisible()
}

for (const { role, offered } of [
  { role: 'admin', offered: ['Active', 'Reducing', 'Halted'] },
  { role: 'operator', offered: ['Reducing', 'Halted'] },
  { role: 'viewer', offered: ['Reducing'] },
] as const) {
  test(`of the states of a client that is reducing, the role ${role} is offered what it may set`, async ({
    page,
    gateway,
  }) => {
    gateway.respond(getClientLimits, { body: limitsOf({ state: 'reducing' }) })
    await openAs(page, role)
    for (const name of ['Active', 'Reducing', 'Halted'] as const)
      await expect(states(page).getByRole('radio', { name })).toBeEnabled({
        enabled: offered.some((each) => each === name),
      })
    if (role === 'admin') await expect(page.getByText('This needs the role')).toHaveCount(0)
    else
      await expect(
        page.getByText(why(role === 'viewer' ? 'operator' : 'admin', role)).first(),
      ).toBeVisible()
  })
}

test('what a viewer may not do stays in the reach of the keyboard, says why, and sends nothing', async ({
  page,
  gateway,
}) => {
  await openAs(page, 'viewer')
  await expectAccessible(page)
  const stop = page.getByRole('button', { name: 'Stop client' })
  await stop.focus()
  await expect(page.getByRole('tooltip')).toContainText(why('operator', 'viewer'))
  await stop.press('Enter')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect(gateway.calls(stopClient)).toEqual([])
})
