import type { Locator, Page } from '@playwright/test'
import { settle } from './stub-gateway.ts'

const PRESSABLE = 'button, summary, [role="switch"], [role="combobox"], input[type="radio"]'
/** What cannot be pressed within this time lies under something. */
const PRESS_MS = 1_500
/** Dialogs open dialogs. */
const DEPTH_MAX = 3

/**
 * Presses everything on a page that can be pressed, and everything in the dialogs that this opens:
 * of controls that are in many rows the first. Forms are sent empty, and with what no rule allows.
 * @param look is called after each press
 * @param except what is not pressed, by its name
 */
export async function pressAll(page: Page, look: () => Promise<void>, except: RegExp) {
  const address = page.url()
  const pressed = new Set<string>()
  const dialogs = page.locator('[role="dialog"]:visible')
  const counts = { reached: 0, missed: 0 }
  const press = async (control: Locator) => {
    try {
      await control.click({ timeout: PRESS_MS })
      counts.reached += 1
    } catch {
      // It may have gone, or lie under a dialog.
      counts.missed += 1
    }
    await settle(page)
    await look()
  }

  const sendForms = async (scope: Locator) => {
    for (const form of await scope.locator('form:visible').all()) {
      const send = form.locator('[type="submit"]')
      await press(send)
      await fillWrong(form)
      await press(send)
    }
  }
  const pressIn = async (scope: Locator, depth: number) => {
    for (;;) {
      const next = await nextOf(scope, pressed, except)
      if (next === undefined) return
      await press(next)
      if ((await dialogs.count()) > depth && depth < DEPTH_MAX) {
        await sendForms(dialogs.last())
        await pressIn(dialogs.last(), depth + 1)
      }
      if ((await dialogs.count()) < depth) return
      if (depth === 0) await comeBack()
    }
  }
  const comeBack = async () => {
    for (let open = await dialogs.count(); open > 0; open -= 1) await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    if (page.url() === address && (await dialogs.count()) === 0) return
    await page.goto(address)
    await settle(page)
  }

  await pressIn(page.locator('body'), 0)
  await sendForms(page.locator('body'))
  if (counts.reached <= counts.missed)
    throw new Error(
      `Of ${address}, ${counts.missed} controls were missed, ${counts.reached} pressed`,
    )
}

/** The first that was not pressed yet. */
async function nextOf(
  scope: Locator,
  pressed: Set<string>,
  except: RegExp,
): Promise<Locator | undefined> {
  const controls = scope.locator(PRESSABLE)
  const names = await controls.evaluateAll((elements) =>
    elements.map((element) => {
      const isOff = element.matches(':disabled') || element.getClientRects().length === 0
      const name = element.getAttribute('aria-label') ?? element.textContent ?? ''
      // The rows of a list differ by their data, which is in plain letters.
      return isOff ? null : `${element.tagName} ${name.replace(/[ -~]+/g, ' ')}`
    }),
  )
  for (const [index, name] of names.entries()) {
    if (name === null || pressed.has(name) || except.test(name)) continue
    pressed.add(name)
    return controls.nth(index)
  }
  return undefined
}

async function fillWrong(form: Locator): Promise<void> {
  const fields = form.locator('input:visible:not([readonly], [type="radio"], [type="checkbox"])')
  for (const field of await fields.all())
    await field.fill('?', { timeout: PRESS_MS }).catch(() => undefined)
}
