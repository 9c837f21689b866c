import type { ElementHandle, Locator, Page } from '@playwright/test'
import { settle } from './stub-gateway.ts'

const PRESSABLE = 'button, summary, [role="switch"], [role="combobox"], input[type="radio"]'
/** An upper bound: whatever is there can be pressed at once. */
const PRESS_MS = 60_000
/** Then a dialog has opened over it in between, as after a switch; a key does the same. */
const CLICK_MS = 10_000
/** Dialogs open dialogs. */
const DEPTH_MAX = 3

/**
 * Presses everything on a page that can be pressed, and everything in the dialogs that this opens:
 * of controls that are in many rows the first. Forms are sent empty, and with what no rule allows.
 * @param look is called after each press
 * @param except what is not pressed, by its name
 * @throws when something is there that can be pressed neither with a pointer nor with a key
 */
export async function pressAll(page: Page, look: () => Promise<void>, except: RegExp) {
  const address = page.url()
  const pressed = new Set<string>()
  const dialogs = page.locator('[role="dialog"]:visible')
  const press = async (control: ElementHandle) => {
    try {
      // Keys reach what a pointer does not.
      const pressKey = () => control.press('Enter', { timeout: PRESS_MS })
      if (await isCovered(control)) await pressKey()
      else await control.click({ timeout: CLICK_MS }).catch(pressKey)
    } catch (error) {
      // A message goes by itself, and its button with it.
      if (await control.evaluate((element) => element.isConnected)) throw error
    }
    await settle(page)
    await look()
  }

  /** Nothing is sent while a form lacks something, or has no button to send it. */
  const sendForm = async (form: Locator) => {
    const [send] = await form.locator('[type="submit"]:enabled').elementHandles()
    if (send !== undefined) await press(send)
  }
  const sendForms = async (scope: Locator) => {
    for (const form of await scope.locator('form:visible').all()) {
      await sendForm(form)
      await fillWrong(form)
      await sendForm(form)
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
}

/** Whether something else is where a pointer would press. */
async function isCovered(control: ElementHandle): Promise<boolean> {
  await control.scrollIntoViewIfNeeded({ timeout: PRESS_MS })
  return control.evaluate((element) => {
    if (!(element instanceof Element)) return false
    const { left, top, width, height } = element.getBoundingClientRect()
    const at = document.elementFromPoint(left + width / 2, top + height / 2)
    return at === null || !(element.contains(at) || at.contains(element))
  })
}

/** The first that was not pressed yet. */
async function nextOf(
  scope: Locator,
  pressed: Set<string>,
  except: RegExp,
): Promise<ElementHandle | undefined> {
  const [root] = await scope.elementHandles()
  const found = await root?.evaluateHandle(
    (within, [selector, known, pattern]) => {
      if (!(within instanceof Element)) return { name: '', element: null }
      for (const element of within.querySelectorAll(selector)) {
        if (element.matches(':disabled') || element.getClientRects().length === 0) continue
        const text = element.getAttribute('aria-label') ?? element.textContent ?? ''
        // The rows of a list differ by their data, which is in plain letters.
        const name = `${element.tagName} ${text.replace(/[ -~]+/g, ' ')}`
        if (known.includes(name) || new RegExp(pattern).test(name)) continue
        // Of a choice and of a switch, the label is what is seen and pressed.
        const label = element instanceof HTMLInputElement ? element.labels?.[0] : undefined
        return { name, element: label ?? element }
      }
      return { name: '', element: null }
    },
    [PRESSABLE, [...pressed], except.source] as const,
  )
  const element = (await found?.getProperty('element'))?.asElement()
  if (found === undefined || element == null) return undefined
  pressed.add(await (await found.getProperty('name')).jsonValue())
  return element
}

async function fillWrong(form: Locator): Promise<void> {
  const fields = form.locator('input:visible:not([readonly], [type="radio"], [type="checkbox"])')
  for (const field of await fields.elementHandles()) {
    try {
      if (await field.isEditable()) await field.fill('?', { timeout: PRESS_MS })
    } catch (error) {
      // A form that was sent closes its dialog.
      if (await field.evaluate((element) => element.isConnected)) throw error
    }
  }
}
