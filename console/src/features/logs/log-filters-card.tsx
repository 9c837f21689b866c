import { Button, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Card } from '../../components/card.tsx'
import { Icon } from '../../components/icons.tsx'
import { ExportButtons } from './export-buttons.tsx'
import { LogChips } from './log-chips.tsx'
import type { LogLine } from './log-line.ts'
import type { LogQuery } from './log-query.ts'
import type { Zone } from './log-time.ts'
import classes from './logs.module.css'
import { methodOptions } from './method-options.ts'
import { SavedFiltersDialog } from './saved-filters-dialog.tsx'
import * as texts from './texts.ts'
import { statusOptions } from './texts.ts'
import type { LogFilterState } from './use-log-filter.ts'

interface LogFiltersCardProps {
  readonly state: LogFilterState
  /** What an export holds. */
  readonly lines: readonly LogLine[]
  /** What the gateway exports, when not all entries are loaded. */
  readonly query: LogQuery | undefined
  readonly zone: Zone
  readonly onRefresh: () => Promise<void>
  /** How many entries that is, as far as it is known. */
  readonly count: number | undefined
}

export function LogFiltersCard(props: LogFiltersCardProps) {
  const { state, lines, query, count, zone, onRefresh } = props
  const { filter, change } = state
  const [isSavedOpen, setSavedOpen] = useState(false)
  const [isRefreshing, setRefreshing] = useState(false)
  const refresh = () => {
    setRefreshing(true)
    void onRefresh().then(() => setRefreshing(false))
  }
  return (
    <Card
      title={texts.filters}
      description={texts.windowHours}
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
          <ExportButtons lines={lines} query={query} count={count} zone={zone} />
        </>
      }
    >
      <div className={classes.filters}>
        <TextInput
          type="search"
          aria-label={texts.searchLabel}
          placeholder={texts.search}
          leftSection={<Icon name="search" size={16} />}
          title={texts.searched}
          value={filter.search}
          onChange={(event) => change({ search: event.currentTarget.value })}
          className={classes.search}
        />
        <Select
          aria-label={texts.statusLabel}
          data={statusOptions}
          value={filter.status}
          onChange={(value) => change({ status: value ?? '' })}
          allowDeselect={false}
        />
        <Select
          aria-label={texts.methodLabel}
          data={methodOptions}
          value={filter.method}
          onChange={(value) => change({ method: value ?? '' })}
          allowDeselect={false}
        />
      </div>
      <LogChips state={state} zone={zone} />
      <Button
        variant="subtle"
        size="compact-sm"
        mt="xs"
        leftSection={<Icon name="bookmark" size={14} />}
        onClick={() => setSavedOpen(true)}
      >
        {texts.saved.open}
      </Button>
      {isSavedOpen && (
        <SavedFiltersDialog filter={filter} onApply={change} onClose={() => setSavedOpen(false)} />
      )}
    </Card>
  )
}
