import { useDocumentVisibility, useNetwork } from '@mantine/hooks'
import { useEffect, useEffectEvent, useRef, useState } from 'react'

/** The time, anew every second while `isRunning`. */
export function useNow(isRunning: boolean): number {
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    if (!isRunning) return
    setNowMs(Date.now())
    const timer = setInterval(() => setNowMs(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [isRunning])
  return nowMs
}

/**
 * Runs at a fixed pace while the page is visible and online and nobody paused it, and at once when
 * it becomes so again. SWR's own polling is not used: after one failure it stops permanently unless
 * it also retries.
 */
export function useEvery(everyMs: number, run: () => unknown, isPaused = false): void {
  const isVisible = useDocumentVisibility() === 'visible'
  const { online } = useNetwork()
  const isActive = isVisible && online && !isPaused
  const wasPaused = useRef(false)
  const tick = useEffectEvent(() => void run())

  useEffect(() => {
    if (!isActive) {
      wasPaused.current = true
      return
    }
    if (wasPaused.current) tick()
    wasPaused.current = false
    const timer = setInterval(() => tick(), everyMs)
    return () => clearInterval(timer)
  }, [isActive, everyMs])
}
