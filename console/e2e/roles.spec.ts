import type { Page } from '@playwright/test'
import {
  changeClientLimits,
  dropQueueEntry,
  getClientLimits,
  getClientStop,
  getOperations,
  getOperationsHistory,
  listOrders,
  listQueue,
  login,
  type Role,
  stopClient,
} from 'schema'
import { expectAccessible } from './support/axe.ts'
import { FLOODER, historyOf, queueOf, trouble } from './support/operations-samples.ts'
import { limitsOf, samples, stopOf } from './support/samples.ts'
import { expect, goWithin, SESSION, signIn, storeSession, test, toastOf } from './support/test.ts'

const states = (page: Page) => page.getByRole('radiogroup', { name: 'State of the client' })
const why = (needed: Role, mine: Role) => `This needs the role ${needed}; yours is ${mine}.`

async function openAs(page: Page, role: Role): Promise<void> {
  await storeSession(page, SESSION.token, JSON.stringify({ ...SESSION.user, role }))
  await page.goto('/client-credentials/7')
  await expect(states(page)).toBeVisible()
}

test('of the states of a client that is reducing, each role is offered what it may set', async ({
  page,
  gateway,
}) => {
  gateway.respond(getClientLimits, { body: limitsOf({ state: 'reducing' }) })
  for (const [role, offered, needed] of [
    ['admin', ['Active', 'Reducing', 'Halted'], null],
    ['operator', ['Reducing', 'Halted'], 'admin'],
    ['viewer', ['Reducing'], 'operator'],
  ] as const)
    await test.step(role, async () => {
      await openAs(page, role)
      for (const name of ['Active', 'Reducing', 'Halted'] as const)
        await expect(states(page).getByRole('radio', { name })).toBeEnabled({
          enabled: offered.some((each) => each === name),
        })
      if (needed === null) await expect(page.getByText('This needs the role')).toHaveCount(0)
      else await expect(page.getByText(why(needed, role)).first()).toBeVisible()
    })
})

test('what a viewer may not do stays in the reach of the keyboard, says why, and sends nothing', {
  tag: '@both',
}, async ({ page, gateway }) => {
  await openAs(page, 'viewer')
  await expectAccessible(page)
  const stop = page.getByRole('button', { name: 'Stop client' })
  await stop.focus()
  await expect(page.getByRole('tooltip')).toContainText(why('operator', 'viewer'))
  await stop.press('Enter')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect(gateway.calls(stopClient)).toEqual([])
})

test('an operator signs in, drops from the queue, halts and stops a client, and is offered nothing of an admin', async ({
  page,
  gateway,
}) => {
  const user = { ...SESSION.user, role: 'operator' }
  gateway.respond(login, { body: { ...samples.login, user } })
  gateway.respond(getOperations, { body: trouble() })
  gateway.respond(getOperationsHistory, { body: historyOf() })
  gateway.respond(listOrders, { body: [] })
  gateway.respond(listQueue, { body: queueOf(3) })
  gateway.respond(dropQueueEntry, { status: 204 })
  gateway.respond(changeClientLimits, { body: limitsOf({ state: 'halted' }) })
  // From this call on, the page's own reads show the stop as well.
  gateway.respond(stopClient, () => {
    gateway.respond(getClientStop, { body: stopOf() })
    return { body: stopOf() }
  })
  await page.goto('/operations')
  await signIn(page)
  await page.getByRole('button', { name: `Drop MEXC 2 of ${FLOODER}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Drop' }).click()
  await expect(toastOf(page)).toContainText('Request Dropped')
  await expect(page.getByRole('link', { name: 'People' })).toHaveCount(0)

  await goWithin(page, '/client-credentials/7')
  await states(page).getByText('Halted').click()
  await expect(toastOf(page).first()).toContainText('The client is now halted.')
  await page.getByRole('button', { name: 'Stop client' }).click()
  const dialog = page.getByRole('dialog', { name: 'Stop the client?' })
  await dialog.getByLabel('Reason').fill('strategy misbehaves')
  await dialog.getByRole('button', { name: 'Stop client' }).click()
  await expect(dialog).toHaveCount(0)
  expect(gateway.calls(stopClient)).toHaveLength(1)

  for (const name of ['Rotate secret', 'Resume client'])
    await expect(page.getByRole('button', { name })).toHaveAttribute('aria-disabled', 'true')
  await goWithin(page, '/client-credentials')
  await expect(page.getByRole('button', { name: 'Create Client Credentials' })).toHaveAttribute(
    ...(['aria-disabled', 'true'] as const),
  )
})
