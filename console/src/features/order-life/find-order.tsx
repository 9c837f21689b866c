import { Button, Group, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useEffectEvent, useState } from 'react'
import { FailureNote } from '../../components/failure-note.tsx'
import { Icon } from '../../components/icons.tsx'
import { FoundList } from './found-list.tsx'
import * as texts from './texts.ts'
import { useFindOrder } from './use-find-order.ts'

interface FindOrderProps {
  /** Searched for at once; '' waits for somebody to type. */
  readonly text?: string
  /** Called with what is searched for. */
  readonly onSearch?: (text: string) => void
  /** An order's page has opened. */
  readonly onOpen?: () => void
}

/** The field that finds an order, and below it what was found. */
export function FindOrder({ text = '', onSearch, onOpen }: FindOrderProps) {
  const [typed, setTyped] = useState(text)
  const { found, error, isSearching, search } = useFindOrder(onOpen)
  const searchText = useEffectEvent(() => void search(text))
  useEffect(() => {
    if (text !== '') searchText()
  }, [text])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (onSearch !== undefined && typed !== text) onSearch(typed)
    else void search(typed)
  }
  return (
    <Stack gap="md">
      <search>
        <form onSubmit={submit}>
          <Group gap="xs" align="flex-end">
            <TextInput
              type="search"
              label={texts.field.label}
              description={texts.field.hint}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              data-autofocus
              maxLength={255}
              autoComplete="off"
              spellCheck={false}
              flex="1 1 240px"
              miw={0}
            />
            <Button
              type="submit"
              loading={isSearching}
              leftSection={<Icon name="search" size={16} />}
            >
              {texts.field.submit}
            </Button>
          </Group>
        </form>
      </search>
      <div role="status">{found !== undefined && <FoundList found={found} onOpen={onOpen} />}</div>
      {error !== undefined && (
        <FailureNote
          title={texts.failed}
          detail={error instanceof Error ? error.message : String(error)}
          requestId={null}
          onRetry={() => void search(typed)}
        />
      )}
    </Stack>
  )
}
