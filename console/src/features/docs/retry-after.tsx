import { useState } from 'react'
import { useNow } from '../../components/use-now.ts'
import * as texts from './texts.ts'

/**
 * A `Retry-After` in seconds, counted down from when it came; a date (RFC 9110, 10.2.3) as it is.
 */
export function RetryAfter({ value }: { readonly value: string }) {
  const [cameAtMs] = useState(Date.now)
  const seconds = /^\d+$/.test(value) ? Number(value) : undefined
  const endsAtMs = cameAtMs + (seconds ?? 0) * 1000
  const nowMs = useNow(Date.now() < endsAtMs)
  const left = Math.max(0, Math.ceil((endsAtMs - nowMs) / 1000))
  if (seconds === undefined) return value
  return left === 0 ? texts.waitIsOver : `${left} s`
}
