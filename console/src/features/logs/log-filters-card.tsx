import { Button, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Card } from '../../components/card.tsx'
import { formatCount } from '../../components/format.ts'
import { Icon } from '../../components/icons.tsx'
import { ExportButton } from './export-button.tsx'
import type { LogLine } from './log-line.ts'
import type { Zone } from './log-time.ts'
import classes from './logs.module.css'
import { methodOptions, statusOptions, texts } from './texts.ts'
import type { LogFilterState } from './use-log-filter.ts'

interface LogFiltersCardProps {
  readonly filter: LogFilterState
  /** What an export holds. */
  readonly lines: readonly LogLine[]
  readonly zone: Zone
  readonly onRefresh: () => Promise<void>
  /** How many entries are held when the gateway has more than it hands out; undefined when it has not. */
  readonly cutAt: number | undefined
}

export function LogFiltersCard({ filter, lines, zone, onRefresh, cutAt }: LogFiltersCardProps) {
  const [isRefreshing, setRefreshing] = useState(false)
  const refresh = () => {
    setRefreshing(true)
    void onRefresh().then(() => setRefreshing(false))
  }
  return (
    <Card
      title={texts.filters}
      description={
        cutAt === undefined ? texts.window : `${texts.window}, ${texts.cut(formatCount(cutAt))}`
      }
      actions={
        <>
          <Button
            variant="default"
            leftSection={<Icon name="refresh" size={16} />}
            onClick={refresh}
            disabled={isRefreshing}
          >
            {texts.refresh}
          </Button>
          <ExportButton lines={lines} zone={zone} />
        </>
      }
    >
      <div className={classes.filters}>
        <TextInput
          type="search"
          aria-label={texts.searchLabel}
          placeholder={texts.search}
          leftSection={<Icon name="search" size={16} />}
          value={filter.search}
          onChange={(event) => filter.setSearch(event.currentTarget.value)}
          className={classes.search}
        />
        <Select
          aria-label={texts.statusLabel}
          data={statusOptions}
          value={filter.status}
          onChange={(value) => filter.setStatus(value ?? '')}
          allowDeselect={false}
        />
        <Select
          aria-label={texts.methodLabel}
          data={methodOptions}
          value={filter.method}
          onChange={(value) => filter.setMethod(value ?? '')}
          allowDeselect={false}
        />
      </div>
    </Card>
  )
}
