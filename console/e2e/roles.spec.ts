import type { Page } from '@playwright/test'
import {
  changeClientLimits,
  getClientLimits,
  getClientStop,
  getOperations,
  getOperationsHistory,
  listClients,
  listOrders,
  listQueue,
  login,
  type Role,
  stopClient,
} from 'schema'
import { expectAccessibleAtBothWidths } from './support/axe.ts'
import { FLOODER, historyOf, queueOf, trouble } from './support/operations-samples.ts'
import { clientOf, limitsOf, samples, stopOf } from './support/samples.ts'
import {
  expect,
  goWithin,
  reopen,
  SESSION,
  signIn,
  storeSession,
  test,
  toastOf,
} from './support/test.ts'

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

test('what a viewer may not do stays in the reach of the keyboard, says why, and sends nothing', async ({
  page,
  gateway,
}) => {
  const clients = [clientOf({ id: 7, isActive: true }), clientOf({ id: 8, isActive: false })]
  gateway.respond(listClients, { body: clients })
  await openAs(page, 'viewer')
  await expectAccessibleAtBothWidths(page)
  const stop = page.getByRole('button', { name: 'Stop client' })
  await stop.focus()
  await expect(page.getByRole('tooltip')).toContainText(why('operator', 'viewer'))
  await stop.press('Enter')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect(gateway.calls(stopClient)).toEqual([])
  await goWithin(page, '/client-credentials')
  const tracks = page.getByRole('switch').locator('+ *')
  await expect(tracks).toHaveCount(2)
  const colours = await tracks.evaluateAll((all) =>
    all.map((track) => getComputedStyle(track).backgroundColor),
  )
  expect(new Set(colours).size).toBe(2)
})

test('an operator signs in, and is offered what stops trade and nothing of an admin', async ({
  page,
  gateway,
}) => {
  const user = { ...SESSION.user, role: 'operator' }
  gateway.respond(login, { body: { ...samples.login, user } })
  gateway.respond(getOperations, { body: trouble() })
  gateway.respond(getOperationsHistory, { body: historyOf() })
  gateway.respond(listOrders, { body: [] })
  gateway.respond(listQueue, { body: queueOf(3) })
  const dialog = page.getByRole('dialog')
  const opens = async (button: string) => {
    await page.getByRole('button', { name: button }).click()
    await expect(dialog).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
  }
  const isNotOffered = (button: string) =>
    expect(page.getByRole('button', { name: button })).toHaveAttribute('aria-disabled', 'true')
  await page.goto('/operations')
  await signIn(page)
  await opens(`Drop MEXC 2 from ${FLOODER}`)
  await expect(page.getByRole('link', { name: 'People' })).toHaveCount(0)

  await goWithin(page, '/client-credentials/7')
  gateway.respond(changeClientLimits, { body: limitsOf({ state: 'halted' }) })
  await states(page).getByText('Halted').click()
  await expect(toastOf(page).first()).toContainText('The client is now halted.')
  await opens('Stop client')
  await isNotOffered('Rotate secret')
  // A stop that an admin alone may end.
  gateway.respond(getClientStop, { body: stopOf() })
  await reopen(page, '/client-credentials/7')
  await isNotOffered('Resume client')
  await goWithin(page, '/client-credentials')
  await isNotOffered('Create Client Credentials')
})
