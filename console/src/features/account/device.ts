import * as texts from './texts.ts'

const BROWSERS = [
  ['Edge', /\bEdg/],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|HeadlessChrome|CriOS)\//],
  ['Safari', /\bSafari\//],
] as const
const SYSTEMS = [
  ['Windows', /Windows/],
  ['Android', /Android/],
  ['iOS', /iPhone|iPad/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/],
] as const

/** What a browser or program called itself, short: `Firefox on Linux`. */
export function deviceOf(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return texts.unknownDevice
  const nameIn = (names: typeof BROWSERS | typeof SYSTEMS) =>
    names.find(([, pattern]) => pattern.test(userAgent))?.[0]
  const browser = nameIn(BROWSERS)
  const system = nameIn(SYSTEMS)
  return browser === undefined || system === undefined ? userAgent : texts.on(browser, system)
}
