import { Loader, Stack } from '@mantine/core'
import * as texts from './texts.ts'

/** A spinner in the middle of the area that loads. */
export function PageSpinner({ label = texts.loading }: { readonly label?: string }) {
  return (
    <Stack align="center" justify="center" gap={0} role="status" aria-label={label} mih="40vh">
      <Loader />
    </Stack>
  )
}
