import { Button } from '@mantine/core'
import { EmptyNote } from '../components/page.tsx'
import * as texts from '../components/page-texts.ts'
import { ReadTime } from '../components/signs.tsx'
import type { Query } from './queries.tsx'
import { ActionButton } from './role.tsx'

/** When a list was read, and what reads it again. */
export function ReadAgain({ query }: { readonly query: Query<unknown> }) {
  const { readAtMs, error, isReading, refresh } = query
  return (
    <>
      <ReadTime atMs={readAtMs} hasFailed={error !== undefined} />
      <ActionButton
        size="xs"
        icon="refresh"
        label={texts.refresh}
        does={texts.refreshDoes}
        disabled={isReading}
        run={() => void refresh()}
      />
    </>
  )
}

interface NoMatchProps {
  readonly title: string
  readonly onClear: () => void
}

/** In place of rows, where the filters leave none. */
export function NoMatch({ title, onClear }: NoMatchProps) {
  return (
    <EmptyNote
      icon="search"
      title={title}
      action={
        <Button variant="default" size="xs" mt="sm" onClick={onClear}>
          {texts.clearFilters}
        </Button>
      }
    />
  )
}
