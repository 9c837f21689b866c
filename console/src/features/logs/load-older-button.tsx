import { Button } from '@mantine/core'
import * as texts from './texts.ts'
import type { LogPart } from './use-logs.ts'

/** Loads more of a log that is not wholly loaded. Nothing when all of it is there. */
export function LoadOlderButton({ part }: { readonly part: LogPart | undefined }) {
  if (part?.loadOlder === undefined) return null
  return (
    <Button variant="default" mt="sm" fullWidth onClick={part.loadOlder} disabled={part.isLoading}>
      {texts.loadMore}
    </Button>
  )
}
