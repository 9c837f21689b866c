import { Skeleton, Stack } from '@mantine/core'
import * as texts from './texts.ts'

// Ten rows while the first response is pending (docs/console-checklist.md, 173).
const ROWS = Array.from({ length: 10 }, (_, row) => row)

/** Shown in place of the rows until the first response. */
export function LogSkeleton() {
  return (
    <Stack gap={8} role="status" aria-label={texts.loading} data-testid="log-skeleton">
      {ROWS.map((row) => (
        <Skeleton key={row} height={32} />
      ))}
    </Stack>
  )
}
