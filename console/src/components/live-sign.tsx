import { Text } from '@mantine/core'
import { useNetwork } from '@mantine/hooks'
import { formatTimeOfDay } from './format.ts'
import classes from './live-sign.module.css'
import * as texts from './page-texts.ts'

interface LiveSignProps {
  /** Time of the last good response; null before the first. */
  readonly readAtMs: number | null
  /** The last read failed. */
  readonly hasFailed: boolean
  readonly everySeconds: number
  /** Somebody stopped the reading for a while. */
  readonly isPaused?: boolean
}

/** Whether what is shown is current, and since when not. */
export function LiveSign({ readAtMs, hasFailed, everySeconds, isPaused = false }: LiveSignProps) {
  const { online } = useNetwork()
  const state = online ? stateOf(readAtMs, hasFailed, isPaused) : 'offline'
  const time = readAtMs === null ? '' : formatTimeOfDay(readAtMs)
  const words = {
    waiting: texts.liveWaiting,
    live: texts.liveLive(time),
    paused: texts.livePaused(time),
    offline: texts.liveOffline(time),
    failed: texts.liveFailed(time, everySeconds),
  }
  return (
    <Text fz="xs" c="dimmed" className={classes.sign} data-state={state}>
      <span className={classes.dot} aria-hidden="true" />
      {words[state]}
    </Text>
  )
}

function stateOf(readAtMs: number | null, hasFailed: boolean, isPaused: boolean) {
  if (isPaused) return 'paused'
  if (hasFailed) return 'failed'
  return readAtMs === null ? 'waiting' : 'live'
}
