import { expect, shellOf, test } from './support/test.ts'

const SIGNED_IN = '**/assets/signed-in-*.js'

test('a console whose pieces cannot be fetched says so, and trying again loads it', async ({
  page,
  signedIn: _,
}) => {
  await page.route(SIGNED_IN, (route) => route.abort('connectionreset'))
  await page.goto('/')
  const note = page.getByRole('alert')
  await expect(note).toContainText('The console could not be loaded')
  await expect(note).toContainText('Check the connection')
  await page.unroute(SIGNED_IN)
  await note.getByRole('button', { name: 'Try again' }).click()
  await expect(shellOf(page)).toBeVisible()
})
