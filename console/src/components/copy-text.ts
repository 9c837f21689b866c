/**
 * Puts text on the clipboard, also on plain http where the Clipboard API does not exist. False when
 * the browser refuses both ways; the caller then asks the person to copy by hand.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Missing (not a secure context) or not permitted: the older way remains.
    return copyBySelection(text)
  }
}

/** Takes from the clipboard what was copied: a blank replaces it; nothing cannot be copied. */
export const clearClipboard = () => copyText(' ')

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.readOnly = true
  area.style.cssText = 'position:fixed;inset:0 auto auto 0;opacity:0'
  const focused = document.activeElement
  // Inside the open dialog: its focus trap takes the selection from an element outside.
  const dialog = focused?.closest('[role="dialog"]') ?? document.body
  dialog.append(area)
  area.select()
  const copied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return copied
}
