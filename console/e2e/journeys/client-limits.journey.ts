import { clipboardOf } from '../support/test.ts'
import { openBot } from './bot.ts'
import { expect, expectRefusal, goTo, test } from './journey.ts'

const BOT = 'grid-bot'

test('an administrator limits a bot, stops it with its order, resumes it and rotates its secret', async ({
  page,
  deployment,
  complaints,
}) => {
  const cardOf = (name: string) => page.getByRole('region', { name, exact: true })

  const bot = await openBot(page, BOT, deployment)

  await test.step('sets limits; a wrong address is reported at its field', async () => {
    await goTo(page, 'Client Credentials')
    await page.getByRole('link', { name: BOT, exact: true }).click()
    // A client without limits has the usual fields at once, and the others by choice.
    await page.getByLabel('Value per order', { exact: true }).fill('500')
    await page.getByLabel('Value per day', { exact: true }).fill('600')
    await page.getByLabel('Add a limit').selectOption('Addresses')
    const addresses = page.getByLabel('Addresses', { exact: true }).first()
    await addresses.fill('10.0.0.0/33')
    await page.getByRole('button', { name: 'Save limits' }).click()
    await expect(addresses).toHaveAccessibleDescription(/must be an address or a network/)
    await expectRefusal(complaints, 400)
    await page.getByRole('button', { name: 'Remove 10.0.0.0/33' }).click()
    await page.getByRole('button', { name: 'Save limits' }).click()
    await expect(page.getByText('Limits Saved')).toBeVisible()
  })

  await test.step('sees what the bot uses of them', async () => {
    expect((await bot.order()).status).toBe(200)
    expect(await (await bot.order({ quantity: '0.011' })).json()).toMatchObject({
      code: 'LIMIT_ORDER_VALUE',
    })
    expect((await bot.send('PUT', '/api/heartbeat', { ttlSeconds: 3600 })).status).toBe(200)
    const meter = page.getByRole('meter', { name: 'Value per day' })
    await expect(meter).toHaveAttribute('aria-valuetext', '500 of 600 USDT, 83 %')
    await expect(page.getByText('Near the limit')).toBeVisible()
    await expect(cardOf('Heartbeat').getByText('Armed', { exact: true })).toBeVisible()
  })

  await test.step('stops it; its order is cancelled', async () => {
    await page.getByRole('button', { name: 'Stop client' }).click()
    const dialog = page.getByRole('dialog', { name: `Stop ${BOT}` })
    await expect(dialog.getByRole('button', { name: 'Stop client' })).toBeEnabled()
    await dialog.getByLabel('Reason').fill('strategy misbehaves')
    await dialog.getByLabel('Reason').press('Enter')
    await dialog.getByLabel(`Type ${BOT}`).fill(BOT)
    await page.keyboard.press('Enter')
    await expect(dialog.getByRole('status')).toContainText(/Complete since .*: 1 order cancelled/)
    await dialog.getByRole('button', { name: 'Close', exact: true }).click()
    await expect(cardOf('Stop')).toContainText('strategy misbehaves')
    expect(await (await bot.order()).json()).toMatchObject({ code: 'LIMIT_HALTED' })
    await goTo(page, 'Client Credentials')
    const row = page.getByRole('listitem').filter({ hasText: BOT })
    await expect(row.getByText('Stopped', { exact: true })).toBeVisible()
    await page.getByRole('link', { name: BOT, exact: true }).click()
  })

  await test.step('resumes it', async () => {
    await page.getByRole('button', { name: 'Resume client' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resume client' }).click()
    await expect(cardOf('Stop')).toContainText('Last stop: strategy misbehaves')
  })

  await test.step('rotates its secret; the old one works until it is ended', async () => {
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByRole('button', { name: 'Create new secret' }).click()
    const once = page.getByRole('dialog', { name: 'Save this secret now' })
    await once.getByRole('button', { name: `Copy Client Secret of ${BOT}` }).click()
    await once.getByRole('button', { name: 'Done' }).click()
    const signsIn = (...secrets: string[]) =>
      Promise.all(secrets.map(async (each) => (await bot.signInAs(each)).status))
    const fresh = await clipboardOf(page)
    expect(await signsIn(fresh, bot.secret)).toEqual([200, 200])
    await page.getByRole('button', { name: 'End the previous secret' }).click()
    await page.getByRole('button', { name: 'End it now' }).click()
    await expect(cardOf('Secrets')).toContainText('No previous secret.')
    expect(await signsIn(fresh, bot.secret)).toEqual([200, 401])
  })
})
