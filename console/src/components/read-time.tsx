import { Text } from '@mantine/core'
import { formatTimeOfDay } from './format.ts'
import * as texts from './page-texts.ts'

interface ReadTimeProps {
  readonly atMs: number | null
  /** The last read failed; what is shown is older. */
  readonly hasFailed?: boolean
}

/** When a list was last read, and whether a later read failed; nothing before the first time. */
export function ReadTime({ atMs, hasFailed = false }: ReadTimeProps) {
  if (atMs === null) return null
  return (
    <Text
      component="span"
      fz="xs"
      c={hasFailed ? 'var(--mantine-color-error)' : 'dimmed'}
      role={hasFailed ? 'alert' : undefined}
    >
      {hasFailed && `${texts.readFailed} `}
      <span style={{ whiteSpace: 'nowrap' }}>{texts.readAt(formatTimeOfDay(atMs))}</span>
    </Text>
  )
}
