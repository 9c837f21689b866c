import {
  ActionIcon,
  Anchor,
  Button,
  Group,
  NativeSelect,
  Paper,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { listOrders } from 'schema'
import { Link } from 'wouter'
import { useQuery } from '../../api/queries.tsx'
import { formatBytes, formatCount, formatMs, formatPercent } from '../../components/format.ts'
import { Icon } from '../../components/icons.tsx'
import { MenuButton } from '../../components/menu-button.tsx'
import { DOTS } from '../../components/short-text.tsx'
import { type PageAction, useActions } from '../../components/use-actions.ts'
import type { LogSummary } from './log-counts.ts'
import {
  filterBy,
  isEmpty,
  type LogFilter,
  methodOptions,
  NO_FILTER,
  readSpan,
  showZone,
  useLogFilter,
  writeSpan,
  ZONES,
  type Zone,
} from './log-filter.ts'
import { formatMinute, zoneName } from './log-lines.ts'
import classes from './logs.module.css'
import * as texts from './texts.ts'
import { type Exported, type ExportProgress, useExport } from './use-export.ts'

const SavedFilters = lazy(() => import('./saved-filters.tsx'))

interface LogBandProps extends Exported {
  /** Of all requests, whatever the filters; undefined before the first response. */
  readonly summary: LogSummary | undefined
  readonly hasFailed: boolean
  /** How many entries an export has, as far as it is known. */
  readonly count: number | undefined
  readonly onRefresh: () => Promise<void>
  /** The requests over time. */
  readonly chart: ReactNode
}

/** Above the list, on one screen with it: four figures, the chart, and one line of filters. */
export function LogBand(props: LogBandProps) {
  const filter = useLogFilter()
  const { chart } = props
  return (
    <Paper component="section" withBorder px={14} py={8} mt={-20} aria-label={texts.filters}>
      <p className={classes.caption}>
        <b>{texts.filters}</b> <span>{texts.windowHours}</span>
      </p>
      <div className={classes.overview}>
        <Figures {...props} />
        {chart}
      </div>
      <Tools {...props} filter={filter} />
      <Chips filter={filter} zone={props.zone} />
      <OrderNote search={filter.search} />
    </Paper>
  )
}

/** They agree with "of M", so they are those of all requests. */
function Figures({ summary, hasFailed }: Pick<LogBandProps, 'summary' | 'hasFailed'>) {
  const placeholder = hasFailed ? texts.nothing : DOTS
  const { total, successRate, avgTime, errorRate } = texts.figures
  const all = [
    [total, summary && formatCount(summary.total)],
    [successRate, summary && formatPercent(summary.successRate)],
    [avgTime, summary && formatMs(summary.avgTimeMs)],
    [errorRate, summary && formatPercent(summary.errorRate)],
  ] as const
  return (
    <dl className={classes.figures}>
      {all.map(([{ label, hint }, value]) => (
        <div key={label} title={hint}>
          <dt>{label}</dt>
          <dd className={classes.figure}>{value ?? placeholder}</dd>
          {label === errorRate.label && summary !== undefined && summary.refusedRate > 0 && (
            <dd className={classes.hint}>
              <Anchor component="button" fz="inherit" onClick={() => filterBy({ refused: 'only' })}>
                {texts.ofThemRefused(formatPercent(summary.refusedRate))}
              </Anchor>
            </dd>
          )}
        </div>
      ))}
    </dl>
  )
}

const CHOICES = [
  { name: 'status', label: texts.statusLabel, data: texts.statusOptions },
  { name: 'method', label: texts.methodLabel, data: methodOptions },
] as const

interface ToolsProps extends LogBandProps {
  readonly filter: LogFilter
}

function Tools(props: ToolsProps) {
  const { filter, zone, onRefresh } = props
  const [isRefreshing, setRefreshing] = useState(false)
  const { isWriting, progress, start } = useExport(props)
  const refresh = () => {
    setRefreshing(true)
    void onRefresh().then(() => setRefreshing(false))
  }
  const canExport = progress === undefined && !isWriting
  useActions(() => {
    const { does, exportCsv } = texts
    return [
      { label: texts.refresh, does: does.refresh, run: refresh, icon: 'refresh' },
      { label: texts.clear, does: does.clear, when: !isEmpty(filter), run: clear },
      { label: exportCsv, does: does.exports, run: () => start('csv'), when: canExport },
    ]
  })
  return (
    <div className={classes.tools} data-screen-only>
      <TextInput
        type="search"
        aria-label={texts.searchLabel}
        placeholder={texts.search}
        leftSection={<Icon name="search" size={16} />}
        title={texts.searched}
        value={filter.search}
        onChange={(event) => filterBy({ search: event.currentTarget.value })}
        className={classes.search}
      />
      {CHOICES.map(({ name, label, data }) => (
        <NativeSelect
          key={name}
          aria-label={label}
          data={data}
          value={filter[name]}
          onChange={(event) => filterBy({ [name]: event.currentTarget.value })}
        />
      ))}
      <Period span={filter.span} zone={zone} />
      <ActionIcon
        variant="default"
        size={36}
        aria-label={texts.refresh}
        title={texts.refresh}
        onClick={refresh}
        disabled={isRefreshing}
      >
        <Icon name="refresh" size={16} />
      </ActionIcon>
      {progress === undefined ? (
        <Button
          variant="default"
          px="sm"
          aria-label={texts.exportCsv}
          title={texts.exportCsv}
          onClick={() => start('csv')}
          disabled={isWriting}
        >
          <Icon name="download" size={16} />
          <span className={classes.exportLabel}>{texts.exportCsv}</span>
        </Button>
      ) : (
        <Progress progress={progress} count={props.count} />
      )}
      <MoreMenu {...{ filter, zone, canExport }} onJsonLines={() => start('jsonl')} />
    </div>
  )
}

interface PeriodProps {
  readonly span: LogFilter['span']
  readonly zone: Zone
}

const clear = () => filterBy(NO_FILTER)
const MINUTE_MS = 60_000

/** A period begins when it is chosen and has no end, so that new requests come in. */
function Period({ span, zone }: PeriodProps) {
  const periods = texts.periods.map(({ minutes, label }) => ({ value: `${minutes}`, label }))
  const chosen = span === '' ? [] : [{ value: span, label: spanWords(span, zone) }]
  const choose = (value: string) => {
    if (value === span) return
    const minutes = Number(value)
    const fromMs = (Math.floor(Date.now() / MINUTE_MS) - minutes) * MINUTE_MS
    const toMs = Number.POSITIVE_INFINITY
    filterBy({ span: minutes === 0 ? '' : writeSpan({ fromMs, toMs }) })
  }
  return (
    <NativeSelect
      className={classes.period ?? ''}
      aria-label={texts.periodLabel}
      data={[...periods, ...chosen]}
      value={span === '' ? '0' : span}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  )
}

/** `Mar 05, 14:00 to Mar 05, 15:00`. */
function spanWords(text: string, zone: Zone): string {
  const span = readSpan(text)
  if (span === undefined) return text
  const from = formatMinute(span.fromMs, zone)
  return Number.isFinite(span.toMs)
    ? texts.span(from, formatMinute(span.toMs, zone))
    : texts.since(from)
}

interface ProgressProps extends Pick<LogBandProps, 'count'> {
  readonly progress: ExportProgress
}

function Progress({ progress: { rows, bytes, cancel }, count }: ProgressProps) {
  const all = count === undefined ? undefined : formatCount(count)
  return (
    <Group gap="sm" wrap="nowrap" flex="none">
      <div>
        <Text fz="xs">{texts.exported(formatCount(rows), all, formatBytes(bytes))}</Text>
        <progress
          aria-label={texts.exporting}
          max={count}
          value={count === undefined ? undefined : Math.min(rows, count)}
        />
      </div>
      <Button variant="default" onClick={cancel}>
        {texts.cancelExport}
      </Button>
    </Group>
  )
}

interface MoreMenuProps extends Pick<ToolsProps, 'filter' | 'zone'> {
  readonly canExport: boolean
  readonly onJsonLines: () => void
}

/** What is seldom needed; the palette offers it too, without what holds already. */
function MoreMenu({ filter, zone, canExport, onJsonLines }: MoreMenuProps) {
  const [isSavedOpen, setSavedOpen] = useState(false)
  const { does, hideRefusals, showRefusals, exportJsonLines } = texts
  const isHidden = filter.refused === 'hide'
  const turnRefusals = () => filterBy({ refused: isHidden ? '' : 'hide' })
  const acts: readonly MoreAct[] = [
    { label: hideRefusals, does: does.refusals(false), holds: isHidden, run: turnRefusals },
    ...ZONES.map((each) => ({
      ...{ label: texts.zone(zoneName(each)), does: does.zone },
      ...{ holds: each === zone, run: () => showZone(each) },
    })),
    { label: texts.saved.open, does: does.saved, run: () => setSavedOpen(true) },
    ...(canExport ? [{ label: exportJsonLines, does: does.exports, run: onJsonLines }] : []),
  ]
  useActions(() => [
    ...acts.filter(({ holds }) => !holds),
    { label: showRefusals, does: does.refusals(true), when: isHidden, run: turnRefusals },
  ])
  return (
    <>
      <MenuButton
        icon="list"
        label={texts.more}
        acts={() => acts.map(({ holds, ...act }) => ({ ...act, ...(holds && { icon: 'check' }) }))}
      />
      <Suspense>
        {isSavedOpen && (
          <SavedFilters filter={filter} onApply={filterBy} onClose={() => setSavedOpen(false)} />
        )}
      </Suspense>
    </>
  )
}

interface MoreAct extends PageAction {
  /** It is how the list is now. */
  readonly holds?: boolean
}

/** The filters that hold, each with what takes it away. Nothing without one. */
function Chips({ filter, zone }: Pick<ToolsProps, 'filter' | 'zone'>) {
  const names = Object.keys(texts.chips) as (keyof LogFilter)[]
  const active = names.filter((name) => filter[name] !== '')
  if (active.length === 0) return null
  return (
    <Group
      component="ul"
      className={classes.chips ?? ''}
      gap={6}
      mt={8}
      mb={0}
      p={0}
      aria-label={texts.activeFilters}
      data-screen-only
    >
      {active.map((name) => {
        const words = `${texts.chips[name]}: ${wordsOf(filter, name, zone)}`
        return (
          <li key={name}>
            <UnstyledButton
              className={classes.chip}
              aria-label={texts.removeFilter(words)}
              onClick={() => filterBy({ [name]: '' })}
            >
              <span>{words}</span>
              <Icon name="close" size={12} />
            </UnstyledButton>
          </li>
        )
      })}
    </Group>
  )
}

function wordsOf(filter: LogFilter, name: keyof LogFilter, zone: Zone): string {
  const value = filter[name]
  if (name === 'status')
    return texts.statusOptions.find((each) => each.value === value)?.label ?? value
  if (name === 'refused') return texts.refusals[value === 'only' ? value : 'hide']
  return name === 'span' ? spanWords(value, zone) : value
}

/** An id has digits and no blanks; shorter ones are parts of endpoints and clients. */
const ID = /^(?=.*\d)[\w.:-]{8,255}$/
const TYPING_MS = 500

/** Says that what is searched is the id of an order. */
function OrderNote({ search }: { readonly search: string }) {
  const [settled] = useDebouncedValue(search.trim(), TYPING_MS)
  const find = ID.test(settled) ? settled : undefined
  const { data } = useQuery(listOrders, find === undefined ? null : { query: { find } })
  const isFound = find !== undefined && Array.isArray(data) && data.length > 0
  return (
    <div role="status">
      {isFound && (
        <Text fz="sm" mt={6}>
          {texts.isOrder}{' '}
          <Anchor component={Link} fz="sm" href={`/orders?${new URLSearchParams({ find })}`}>
            {texts.orderLife}
          </Anchor>
        </Text>
      )}
    </div>
  )
}
