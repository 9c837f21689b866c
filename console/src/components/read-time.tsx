import { Text } from '@mantine/core'
import { formatTimeOfDay } from './format.ts'

/** When a list was last read; nothing before the first time. */
export function ReadTime({ atMs }: { readonly atMs: number | null }) {
  if (atMs === null) return null
  return (
    <Text component="span" fz="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
      Read at {formatTimeOfDay(atMs)}
    </Text>
  )
}
