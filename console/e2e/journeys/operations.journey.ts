import { openBot } from './bot.ts'
import { expect, test } from './journey.ts'

const BOT = 'grid-bot'

test('an administrator stops an exchange with its orders, sees what was done, and resumes it', async ({
  page,
  deployment,
}) => {
  const { order } = await openBot(page, BOT, deployment)
  expect((await order()).status).toBe(200)

  await page.getByRole('link', { name: 'Operations' }).click()
  const mexc = page.getByRole('region', { name: /^MEXC (real|paper)/ })
  await expect(mexc).toContainText('Wait for a new ordernone')
  await expect(page.getByRole('table', { name: 'Clients' })).toContainText(BOT)

  await test.step('stops it by a button that is held', async () => {
    await mexc.getByRole('button', { name: 'Stop MEXC' }).click()
    const dialog = page.getByRole('dialog', { name: 'Stop MEXC' })
    await dialog.getByLabel('Reason').fill('unusual losses')
    await dialog.getByLabel('Also cancel open orders').check()
    await expect(dialog.getByRole('status')).toContainText('cancels 1 order, about')
    await expect(dialog.getByRole('button', { name: 'Stop MEXC' })).toBeEnabled()
    await dialog.getByRole('button', { name: 'Stop MEXC' }).hover()
    await page.mouse.down()
    await expect(dialog).toContainText('unusual losses')
    await page.mouse.up()
    await expect(dialog.getByText(/^Complete since .*: 1 order cancelled/)).toBeVisible()
    await dialog.getByRole('button', { name: 'Close' }).first().click()
    await expect(mexc).toContainText(/By .*@.*, since/)
    expect(await (await order()).json()).toMatchObject({ code: 'EXCHANGE_STOPPED' })
    const strip = page.getByRole('navigation', { name: 'State of the exchanges' })
    await expect(strip.getByRole('link', { name: 'MEXC' })).toContainText('stopped')
  })

  await test.step('resumes it', async () => {
    await mexc.getByRole('button', { name: 'Resume MEXC' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resume MEXC' }).click()
    await expect(mexc).toContainText('Last stop: unusual losses')
    await expect(mexc).toContainText('Running')
  })
})
