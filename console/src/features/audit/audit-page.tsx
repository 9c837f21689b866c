import {
  Anchor,
  Button,
  Group,
  Paper,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useEffect, useEffectEvent, useState } from 'react'
import { type AuditEntry, getAuditKey } from 'schema'
import { changesOf, sentenceOf, textOf } from '../../api/audit-entries.ts'
import { limitNames } from '../../api/audit-texts.ts'
import { QueryView, useQuery } from '../../api/queries.tsx'
import { CodeBlock } from '../../components/code-block.tsx'
import { formatDateTime, LOCALE } from '../../components/format.ts'
import { Details, EmptyNote, HeaderButton, PageHeader } from '../../components/page.tsx'
import { type Column, RowsTable } from '../../components/rows-table.tsx'
import { useActions } from '../../components/use-actions.ts'
import { useAuditEntries, useAuditExport } from './audit-data.ts'
import { type AuditFilter, NO_FILTER, useAuditFilter } from './audit-filter.ts'
import * as texts from './texts.ts'

/** Who did what: the filters, the entries that pass them, and a file of them. */
export default function AuditPage() {
  const [filter, change] = useAuditFilter()
  const { first, entries, hasOlder, isReadingOlder, readOlder } = useAuditEntries(filter)
  const { isExporting, save } = useAuditExport(filter)
  const [columns] = useState(() => columnsOf(change))
  const isFiltered = Object.values(filter).some((value) => value !== '')
  const { does } = texts
  useActions(() => [
    {
      ...{ label: texts.filters.clear, does: does.clear, when: isFiltered },
      run: () => change(NO_FILTER),
    },
    {
      ...{ label: texts.older, does: does.older, when: hasOlder && !isReadingOlder },
      run: () => void readOlder(),
    },
  ])
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <>
            <HeaderButton icon="refresh" onClick={() => void first.refresh()} does={does.refresh}>
              {texts.refresh}
            </HeaderButton>
            {(['csv', 'jsonl', 'signed'] as const).map((format) => (
              <HeaderButton
                key={format}
                icon="download"
                disabled={isExporting}
                onClick={() => void save(format)}
                does={does[format]}
              >
                {texts.exports[format]}
              </HeaderButton>
            ))}
          </>
        }
      />
      <AuditFilters filter={filter} isFiltered={isFiltered} onChange={change} />
      <Paper component="section" aria-label={texts.list} withBorder px="lg" py="sm" mt="sm">
        <QueryView query={first} what={texts.what}>
          {() => (
            <>
              <RowsTable
                label={texts.list}
                columns={columns}
                rows={entries}
                keyOf={({ id }) => id}
                empty={
                  <EmptyNote
                    icon="shield"
                    title={texts.empty}
                    hint={isFiltered ? texts.emptyFilteredHint : texts.emptyHint}
                  />
                }
              />
              {hasOlder && (
                <Button
                  variant="default"
                  mt="sm"
                  disabled={isReadingOlder}
                  onClick={() => void readOlder()}
                >
                  {texts.older}
                </Button>
              )}
            </>
          )}
        </QueryView>
      </Paper>
      <HowToCheck />
    </>
  )
}

/** The command that checks a signed bundle, with the public key. */
function HowToCheck() {
  const words = texts.bundle
  const [isOpen, setOpen] = useState(false)
  const key = useQuery(getAuditKey, isOpen ? {} : null)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary style={{ cursor: 'pointer', marginTop: 'var(--mantine-spacing-sm)' }}>
        {words.summary}
      </summary>
      {isOpen && (
        <Stack gap="sm" my="xs">
          <Text fz="sm">{words.text}</Text>
          <QueryView query={key} what={words.what}>
            {(known) => (
              <CodeBlock
                title={words.command}
                code={`npm run verify-audit -- FILE --key ${known.key}`}
                language="shell"
                label={words.command}
              />
            )}
          </QueryView>
        </Stack>
      )}
    </details>
  )
}

interface AuditFiltersProps {
  readonly filter: AuditFilter
  readonly isFiltered: boolean
  readonly onChange: (changes: Partial<AuditFilter>) => void
}

/** Applied at once; typed text when the person pauses, because each search reads the trail. */
function AuditFilters({ filter, isFiltered, onChange }: AuditFiltersProps) {
  const { action, field } = filter
  const words = texts.filters
  const isListed = texts.actionOptions.some(({ value }) => value === action)
  const actions = isListed
    ? [...texts.actionOptions]
    : [...texts.actionOptions, { value: action, label: action }]
  const isOfLimits = action === 'client-limits' || action === 'client-limits.changed'
  const day = (name: 'from' | 'until') => (
    <TextInput
      type="date"
      label={words[name]}
      value={filter[name]}
      onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
    />
  )
  return (
    <Group component="search" aria-label={words.label} gap="sm" align="flex-end">
      <SimpleGrid cols={{ base: 2, md: isOfLimits ? 6 : 5 }} spacing="sm" flex={1}>
        <TypedFilter
          label={words.actor}
          placeholder={words.actorHint}
          value={filter.actor}
          onChange={(actor) => onChange({ actor })}
        />
        <TypedFilter
          label={words.subject}
          placeholder={words.subjectHint}
          value={filter.subject}
          onChange={(subject) => onChange({ subject })}
        />
        <Select
          label={words.action}
          data={actions}
          value={action}
          onChange={(value) => onChange({ action: value ?? '', field: '' })}
          allowDeselect={false}
        />
        {isOfLimits && (
          <Select
            label={words.field}
            data={FIELDS}
            value={field}
            onChange={(value) => onChange({ field: value ?? '' })}
            allowDeselect={false}
          />
        )}
        {day('from')}
        {day('until')}
      </SimpleGrid>
      {isFiltered && (
        <Button variant="default" onClick={() => onChange(NO_FILTER)}>
          {words.clear}
        </Button>
      )}
    </Group>
  )
}

const FIELDS = [
  { value: '', label: texts.filters.anyField },
  ...Object.entries(limitNames).map(([value, label]) => ({ value, label })),
]

/** How long a person pauses between two keys at most. */
const PAUSE_MS = 400

interface TypedFilterProps {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly onChange: (value: string) => void
}

function TypedFilter({ label, placeholder, value, onChange }: TypedFilterProps) {
  const [typed, setTyped] = useState(value)
  const [applied, setApplied] = useState(value)
  // Changed elsewhere: a link, "Clear filters", Back.
  if (value !== applied) {
    setApplied(value)
    setTyped(value)
  }
  const apply = useEffectEvent(() => {
    if (typed === value) return
    setApplied(typed)
    onChange(typed)
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: each key begins a new pause.
  useEffect(() => {
    const timer = setTimeout(() => apply(), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      maxLength={320}
      value={typed}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      onKeyDown={({ key }) => key === 'Enter' && apply()}
    />
  )
}

/** Of this browser, now: `GMT+1`. */
const zone = () =>
  new Intl.DateTimeFormat(LOCALE, { timeZoneName: 'short' })
    .formatToParts()
    .find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC'

function columnsOf(narrow: AuditFiltersProps['onChange']): readonly Column<AuditEntry>[] {
  return [
    {
      key: 'time',
      head: texts.columns.time(zone()),
      width: '180px',
      card: 'line',
      cell: ({ at }) => formatDateTime(at),
    },
    {
      key: 'what',
      head: texts.columns.what,
      card: 'line',
      cell: (entry) => <Entry entry={entry} narrow={narrow} />,
    },
    {
      key: 'address',
      head: texts.columns.address,
      width: '140px',
      card: 'plain',
      cell: ({ address }) => address,
    },
  ]
}

interface EntryProps {
  readonly entry: AuditEntry
  readonly narrow: AuditFiltersProps['onChange']
}

const FAILURE = /\.(failed|refused)/
const ALARMING = { color: 'var(--mantine-color-error)' }

/** A sentence; opened, what changed side by side, and the document below. */
function Entry({ entry, narrow }: EntryProps) {
  const { action, before, after } = entry
  const { who, what } = sentenceOf(entry)
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary style={{ cursor: 'pointer' }}>
        <b>{who}</b> <span {...(FAILURE.test(action) && { style: ALARMING })}>{what}</span>
      </summary>
      {isOpen && (
        <Stack gap="sm" my="xs">
          <Details
            rows={changesOf(entry).map(({ field, name, before: old, after: now }) => [
              name,
              texts.detail.change(textOf(field, old), textOf(field, now)),
            ])}
          />
          <Group gap="md">
            <Anchor component="button" fz="sm" onClick={() => narrow({ actor: entry.actor })}>
              {texts.detail.onlyWho}
            </Anchor>
            <Anchor component="button" fz="sm" onClick={() => narrow({ subject: entry.subject })}>
              {texts.detail.onlyTarget}
            </Anchor>
          </Group>
          <details>
            <summary>{texts.detail.document}</summary>
            <Stack gap="xs" mt="xs">
              {before !== null && <Facts title={texts.detail.before} facts={before} />}
              {after !== null && <Facts title={texts.detail.after} facts={after} />}
              <Details
                rows={[
                  [texts.detail.action, action],
                  [texts.detail.kind, texts.kindNames[entry.actorKind]],
                  [texts.detail.session, entry.session ?? texts.nothing],
                  [texts.detail.requestId, entry.requestId ?? texts.nothing],
                  [texts.detail.hash, `${entry.id}:${entry.hash}`],
                ]}
              />
            </Stack>
          </details>
        </Stack>
      )}
    </details>
  )
}

function Facts({ title, facts }: { readonly title: string; readonly facts: object }) {
  return (
    <CodeBlock title={title} code={JSON.stringify(facts, null, 2)} language="json" label={title} />
  )
}
