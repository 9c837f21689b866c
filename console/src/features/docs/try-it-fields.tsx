import { Select, TextInput, type TextInputProps } from '@mantine/core'
import { issueClientToken, listClients } from 'schema'
import { reportFailure } from '../../api/failures.tsx'
import { useQuery } from '../../api/queries.tsx'
import { useRefusal } from '../../api/role.tsx'
import { useAction } from '../../api/use-action.ts'
import { CopyButton } from '../../components/copy.tsx'
import { SecretInput } from '../../components/secret-input.tsx'
import { InlineCode } from '../../components/short-text.tsx'
import { useNow } from '../../components/timers.ts'
import classes from './docs.module.css'
import type { FormField } from './form-fields.ts'
import { endOfToken, lifeOfToken, setTabToken, useTabMemory } from './tab-memory.ts'
import * as texts from './texts.ts'

/** What a field is for, or what is wrong with it, is below it. */
const BELOW = {
  inputWrapperOrder: ['label', 'input', 'error', 'description'],
} satisfies TextInputProps

interface TokenFieldProps {
  readonly id: string
  /** On the page that gets a token: the response fills the field, nobody types into it. */
  readonly isFilledByResponse: boolean
  readonly error: string | undefined
}

/** The client's bearer token, shared by all forms of this tab, with its remaining life. */
export function TokenField({ id, isFilledByResponse, error }: TokenFieldProps) {
  const token = useTabMemory((memory) => memory.token)
  const nowMs = useNow(endOfToken(token) != null)
  const hint = isFilledByResponse ? texts.tokenFromResponse : texts.tokenHint
  const field = (
    <TextInput
      id={id}
      label={texts.tokenLabel}
      description={lifeOfToken(token, nowMs) ?? hint}
      {...BELOW}
      value={token}
      readOnly={isFilledByResponse}
      error={error}
      autoComplete="off"
      spellCheck={false}
      rightSection={token !== '' && <CopyButton value={token} label={texts.tokenLabel} />}
      onChange={(event) => setTabToken(event.currentTarget.value)}
    />
  )
  if (isFilledByResponse) return field
  return (
    <div className={classes.token}>
      {field}
      <UseClient />
    </div>
  )
}

/** Gets a token of a client in its name, for those whose role allows it. */
function UseClient() {
  const refusal = useRefusal(issueClientToken)
  const { data: clients } = useQuery(listClients, refusal === undefined ? {} : null)
  const { trigger, isPending } = useAction(issueClientToken)
  if (refusal !== undefined) return null
  const take = async (id: string | null) => {
    if (id === null) return
    try {
      setTabToken((await trigger({ params: { id: Number(id) } })).token)
    } catch (error) {
      reportFailure(error)
    }
  }
  return (
    <Select
      label={texts.useClient}
      placeholder={isPending ? texts.gettingToken : texts.chooseClient}
      data={(clients ?? [])
        .filter(({ isActive }) => isActive)
        .map(({ id, clientId }) => ({ value: `${id}`, label: clientId }))}
      value={null}
      onChange={(id) => void take(id)}
      disabled={isPending}
      searchable
      nothingFoundMessage={texts.noClient}
    />
  )
}

interface TryItFieldProps {
  readonly id: string
  readonly field: FormField
  readonly value: string
  readonly error: string | undefined
  /** In place of what the parameter is. */
  readonly hint?: string | undefined
  readonly onChange: (value: string) => void
}

/** The input for one parameter, as its schema asks for it. */
export function TryItField({ id, field, value, error, hint, onChange }: TryItFieldProps) {
  const { name, kind, choices, schema, isRequired, placeholder } = field
  const common = {
    id,
    label: name,
    description:
      hint ??
      (schema.description && (
        <span className={classes.help}>
          <InlineCode text={schema.description} />
        </span>
      )),
    ...BELOW,
    error,
    'aria-required': isRequired,
  }
  if (kind === 'choice') {
    return (
      <Select
        {...common}
        data={choices.map((choice) => ({ value: choice, label: choice || `(${texts.notSent})` }))}
        value={value}
        onChange={(next) => onChange(next ?? '')}
        allowDeselect={false}
      />
    )
  }
  const Input = kind === 'secret' ? SecretInput : TextInput
  return (
    <Input
      {...common}
      value={value}
      readOnly={kind === 'fixed'}
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      placeholder={isRequired ? placeholder : texts.notSent}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
