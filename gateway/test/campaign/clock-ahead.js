import { readFileSync } from 'node:fs'

// Loaded before a process of the gateway: its wall clock is ahead by so much, as if that time had
// passed. With a file, what the file says holds within moments.

const { CLOCK_AHEAD_MS = '0', CLOCK_AHEAD_FILE: file } = process.env
const LOOK_EVERY_MS = 50
let aheadMs = Number(CLOCK_AHEAD_MS)
const trueNow = Date.now
const now = () => trueNow() + aheadMs

if (file !== undefined) {
  const look = () => {
    aheadMs = Number(readFileSync(file, 'utf8'))
  }
  look()
  setInterval(look, LOOK_EVERY_MS).unref()
}

globalThis.Date = new Proxy(Date, {
  construct: (target, values, as) =>
    Reflect.construct(target, values.length === 0 ? [now()] : values, as),
  get: (target, name, of) => (name === 'now' ? now : Reflect.get(target, name, of)),
})
