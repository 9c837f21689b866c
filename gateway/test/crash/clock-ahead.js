// Loaded before a process of the gateway: its wall clock is ahead by so much, as if that time had
// passed.
const aheadMs = Number(process.env.CLOCK_AHEAD_MS)
const trueNow = Date.now
const now = () => trueNow() + aheadMs

globalThis.Date = new Proxy(Date, {
  construct: (target, values, as) =>
    Reflect.construct(target, values.length === 0 ? [now()] : values, as),
  get: (target, name, of) => (name === 'now' ? now : Reflect.get(target, name, of)),
})
