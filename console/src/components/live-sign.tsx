import { Text } from '@mantine/core'
import { formatTimeOfDay } from './format.ts'
import classes from './live-sign.module.css'

interface LiveSignProps {
  /** Time of the last good answer; null before the first. */
  readonly readAtMs: number | null
  /** The last read failed. */
  readonly hasFailed: boolean
  readonly everySeconds: number
}

/** Whether what is shown is current, and since when not. */
export function LiveSign({ readAtMs, hasFailed, everySeconds }: LiveSignProps) {
  const time = readAtMs === null ? null : formatTimeOfDay(readAtMs)
  return (
    <Text fz="xs" c="dimmed" className={classes.sign} data-failed={hasFailed}>
      <span className={classes.dot} aria-hidden="true" />
      {hasFailed
        ? `No answer${time === null ? '' : ` since ${time}`}; asked again every ${everySeconds} s`
        : time === null
          ? 'Waiting for the first answer'
          : `Live, last read at ${time}`}
    </Text>
  )
}
