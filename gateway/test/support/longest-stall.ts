import { monitorEventLoopDelay } from 'node:perf_hooks'
import { onTestFinished } from 'vitest'

/**
 * Watches this process's event loop from now on. The returned function gives its longest stall so
 * far, in ms: by so much may a paper exchange in this process have noted an arrival late, and two
 * arrivals look closer than they were.
 */
export function watchStalls(): () => number {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  onTestFinished(() => void delay.disable())
  return () => delay.max / 1e6
}
