import type { Page } from '@playwright/test'
import { getOperations, getStats, listLogs, listOrders, listQueue, login } from 'schema'
import { openFrozen, passMs } from './support/freeze-clock.ts'
import { exchangeOf, queueOf, trouble, unknownOf } from './support/operations-samples.ts'
import { expect, expectRead, goWithin, SESSION, shellOf, signIn, test } from './support/test.ts'

/** What a translating browser does: each text lies in elements of its own. */
function wrapTexts(page: Page): Promise<number> {
  return page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const texts: Node[] = []
    while (walker.nextNode()) texts.push(walker.currentNode)
    const found = texts.filter(({ parentElement, nodeValue }) => {
      const isRead = parentElement?.closest('script, style, font, svg') === null
      return isRead && nodeValue?.trim() !== ''
    })
    for (const text of found) {
      const outer = document.createElement('font')
      text.parentNode?.replaceChild(outer, text)
      outer.appendChild(document.createElement('font')).append(text)
    }
    return found.length
  })
}

test('a browser that translates the page breaks none, and what is shown stays current', async ({
  page,
  gateway,
  signedIn: _,
}) => {
  const calm = trouble({
    exchanges: [exchangeOf({ queueSize: 0 }), exchangeOf({ exchange: 'bg', queueSize: 0 })],
    ...{ clients: [], alerts: [], unknownOrders: 0, unknownCancels: 0 },
  })
  const stats = getStats.sample.response
  const setTrouble = (is: boolean) => {
    gateway.respond(getOperations, { body: is ? trouble() : calm })
    gateway.respond(listQueue, { body: is ? queueOf(14) : [] })
    gateway.respond(listOrders, { body: is ? [unknownOf()] : [] })
    gateway.respond(listLogs, { body: is ? listLogs.sample.response : [] })
    gateway.respond(getStats, { body: is ? stats : { ...stats, queueSize: 0 } })
  }
  setTrouble(true)
  const strip = page.getByRole('navigation', { name: 'State of the exchanges' })
  await openFrozen(page, '/operations', strip.getByRole('link', { name: 'Unknown' }))
  for (const address of ['/operations', '/', '/logs', '/client-credentials', '/orders'])
    await test.step(`texts of ${address} are wrapped while requests wait`, async () => {
      await goWithin(page, address)
      await passMs(page, 5_000)
      for (const is of [false, true, false]) {
        expect(await wrapTexts(page)).toBeGreaterThan(0)
        setTrouble(is)
        await passMs(page, 30_000)
        await expect(strip.getByRole('link', { name: 'Unknown' })).toHaveCount(is ? 1 : 0)
      }
      await expect(page.getByText(/could not be (shown|loaded)/)).toHaveCount(0)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      setTrouble(true)
    })
  await test.step('a browser that asks first is asked not to', async () => {
    await expect(page.locator('html')).toHaveAttribute('translate', 'no')
    await expect(page.locator('meta[name="google"]')).toHaveAttribute('content', 'notranslate')
  })
})

test('a browser that blocks site data has a session for as long as its page', async ({
  page,
  gateway,
}) => {
  await page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, {
        get: () => {
          throw new DOMException('Access is denied for this document', 'SecurityError')
        },
      })
  })
  gateway.respond(login, { body: { token: SESSION.token, user: SESSION.user } })
  await page.goto('/client-credentials')
  await signIn(page)
  await expect(shellOf(page)).toBeVisible()
  for (const address of ['/', '/operations', '/logs', '/api-keys', '/bitget/trading/spot']) {
    await goWithin(page, address)
    await expectRead(page)
  }
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page.getByRole('button', { name: 'Sign In' })).toBeVisible()
})
