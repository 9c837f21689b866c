import { Anchor, Group, Paper, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import {
  AUDIT_LIMIT,
  type AuditEntry,
  exportAudit,
  getAuditKey,
  listAudit,
  type ResponseOf,
} from 'schema'
import { changesOf, sentenceOf, textOf } from '../../api/audit-entries.ts'
import { limitNames } from '../../api/audit-texts.ts'
import { call, SESSION_ENDED } from '../../api/client.ts'
import { ExportButtons } from '../../api/export-buttons.tsx'
import { reportFailure } from '../../api/failures.tsx'
import { QueryView, useQuery } from '../../api/queries.tsx'
import { ActionButton } from '../../api/role.tsx'
import { CodeBlock } from '../../components/code-block.tsx'
import { formatDateTime, LOCALE } from '../../components/format.ts'
import { Details, EmptyNote, PageHeader } from '../../components/page.tsx'
import { columnsFrom, RowsTable } from '../../components/rows-table.tsx'
import { TypedInput } from '../../components/typed-input.tsx'
import { changeAddress } from '../../components/use-address-param.ts'
import { type AuditFilter, NO_FILTER, toAuditQuery, useAuditFilter } from './audit-filter.ts'
import * as texts from './texts.ts'

const narrow = (changes: Partial<AuditFilter>) => changeAddress(changes)

/** Who did what: the filters, the entries that pass them, and a file of them. */
export default function AuditPage() {
  const filter = useAuditFilter()
  const { first, entries, hasOlder, isReadingOlder, readOlder } = useAuditEntries(filter)
  const isFiltered = Object.values(filter).some((value) => value !== '')
  const { does } = texts
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <>
            <ActionButton
              size="xs"
              icon="refresh"
              run={() => void first.refresh()}
              does={does.refresh}
              label={texts.refresh}
            />
            <ExportButtons
              endpoint={exportAudit}
              toQuery={(format) => {
                const { from, to, ...names } = toAuditQuery(filter)
                // A signed bundle has every entry of its time, or it could prove nothing.
                return format === 'signed' ? { from, to } : { from, to, ...names }
              }}
              name="audit"
              words={texts.exports}
              failed={texts.exportFailed}
              size="xs"
            />
          </>
        }
      />
      <AuditFilters filter={filter} isFiltered={isFiltered} />
      <Paper component="section" aria-label={texts.list} withBorder px="lg" py="sm" mt="sm">
        <QueryView query={first} what={texts.what}>
          {() => (
            <RowsTable
              label={texts.list}
              columns={COLUMNS}
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
          )}
        </QueryView>
        {hasOlder && (
          <ActionButton
            mt="sm"
            label={texts.older}
            does={does.older}
            disabled={isReadingOlder}
            run={() => void readOlder()}
          />
        )}
      </Paper>
      <HowToCheck />
    </>
  )
}

type Page = ResponseOf<typeof listAudit>

/** The entries that pass a filter, newest first, and how to read the older ones. */
function useAuditEntries(filter: AuditFilter) {
  const query = { ...toAuditQuery(filter), limit: AUDIT_LIMIT }
  const first = useQuery(listAudit, { query })
  /** The pages after the first one, with the first one that they follow. */
  const [older, setOlder] = useState<readonly Page[]>([])
  const [of, setOf] = useState(first.data)
  const [isReadingOlder, setReadingOlder] = useState(false)
  if (of !== first.data) {
    setOf(first.data)
    setOlder([])
  }
  const pages = first.data === undefined ? [] : [first.data, ...older]
  const cursor = pages.at(-1)?.nextCursor ?? null

  async function readOlder(): Promise<void> {
    if (cursor === null) return
    setReadingOlder(true)
    try {
      const page = await call(listAudit, { query: { ...query, cursor } })
      if (page !== SESSION_ENDED) setOlder((before) => [...before, page])
    } catch (error) {
      reportFailure(error)
    } finally {
      setReadingOlder(false)
    }
  }
  const { field } = filter
  const hasChanged = (entry: AuditEntry) =>
    field === '' || changesOf(entry).some((change) => change.field === field)
  const entries = pages.flatMap((page) => page.entries).filter(hasChanged)
  return { first, entries, hasOlder: cursor !== null, isReadingOlder, readOlder }
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
                code={`npm run verify-audit -- FILE --key=${known.key}`}
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
}

/** Applied at once; typed text when the person pauses, because each search reads the trail. */
function AuditFilters({ filter, isFiltered }: AuditFiltersProps) {
  const { action } = filter
  const words = texts.filters
  const isListed = texts.actionOptions.some(({ value }) => value === action)
  const actions = [...texts.actionOptions, ...(isListed ? [] : [{ value: action, label: action }])]
  const isOfLimits = action === 'client-limits' || action === 'client-limits.changed'
  const typed = (name: 'actor' | 'subject', placeholder: string) => (
    <TypedInput
      label={words[name]}
      placeholder={placeholder}
      maxLength={320}
      value={filter[name]}
      onApply={(text) => narrow({ [name]: text })}
    />
  )
  const day = (name: 'from' | 'until') => (
    <TextInput
      type="date"
      label={words[name]}
      value={filter[name]}
      onChange={({ currentTarget }) => narrow({ [name]: currentTarget.value })}
    />
  )
  return (
    <Group component="search" aria-label={words.label} gap="sm" align="flex-end">
      <SimpleGrid cols={{ base: 2, md: isOfLimits ? 6 : 5 }} spacing="sm" flex={1}>
        {typed('actor', words.actorHint)}
        {typed('subject', words.subjectHint)}
        <Select
          label={words.action}
          data={actions}
          value={action}
          onChange={(value) => narrow({ action: value ?? '', field: '' })}
          allowDeselect={false}
        />
        {isOfLimits && (
          <Select
            label={words.field}
            data={FIELDS}
            value={filter.field}
            onChange={(value) => narrow({ field: value ?? '' })}
            allowDeselect={false}
          />
        )}
        {day('from')}
        {day('until')}
      </SimpleGrid>
      {isFiltered && (
        <ActionButton label={words.clear} does={texts.does.clear} run={() => narrow(NO_FILTER)} />
      )}
    </Group>
  )
}

const FIELDS = [
  { value: '', label: texts.filters.anyField },
  ...Object.entries(limitNames).map(([value, label]) => ({ value, label })),
]

/** Of this browser, now: `GMT+1`. */
const zone = () =>
  new Intl.DateTimeFormat(LOCALE, { timeZoneName: 'short' })
    .formatToParts()
    .find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC'

const COLUMNS = columnsFrom<AuditEntry>(
  { ...texts.columns, time: texts.columns.time(zone()) },
  {
    time: { width: '180px', card: 'line', cell: ({ at }) => formatDateTime(at) },
    what: { card: 'line', cell: (entry) => <Entry entry={entry} /> },
    address: { width: '140px', card: 'plain', cell: ({ address }) => address },
  },
)

const FAILURE = /\.(failed|refused)/
const ALARMING = { color: 'var(--mantine-color-error)' }

/** A sentence; opened, what changed side by side, and the document below. */
function Entry({ entry }: { readonly entry: AuditEntry }) {
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
