import { Button } from '@mantine/core'
import { formatCount } from '../../components/format.ts'
import { Icon } from '../../components/icons.tsx'
import classes from './logs.module.css'
import * as texts from './texts.ts'

interface NewEntriesButtonProps {
  readonly count: number
  /** There are more than were read. */
  readonly isMore: boolean
  readonly onShow: () => void
}

/** Shows what came while somebody read the list. Announced when it appears. */
export function NewEntriesButton({ count, isMore, onShow }: NewEntriesButtonProps) {
  return (
    <div role="status" className={classes.fresh}>
      {count > 0 && (
        <Button
          size="compact-sm"
          radius="xl"
          top={44}
          leftSection={<Icon name="arrowUp" size={12} />}
          onClick={onShow}
        >
          {texts.newEntries(`${formatCount(count)}${isMore ? '+' : ''}`)}
        </Button>
      )}
    </div>
  )
}
