import { TextInput } from '@mantine/core'
import { CopyButton } from '../../components/copy-button.tsx'
import { useNow } from '../../components/use-now.ts'
import { setTabToken, useTabToken } from './tab-token.ts'
import * as texts from './texts.ts'
import { describeLife, readTokenLife } from './token-life.ts'

interface TokenFieldProps {
  readonly id: string
  /** On the page that gets a token: the response fills the field, nobody types into it. */
  readonly isFilledByResponse: boolean
  readonly error: string | undefined
}

/** The client's bearer token, shared by all forms of this tab, with its remaining life. */
export function TokenField({ id, isFilledByResponse, error }: TokenFieldProps) {
  const token = useTabToken((state) => state.token)
  const life = readTokenLife(token)
  const nowMs = useNow(life.kind === 'ends')
  const hint = isFilledByResponse ? texts.tokenFromResponse : texts.tokenHint
  return (
    <TextInput
      id={id}
      label={texts.tokenLabel}
      description={describeLife(life, nowMs) ?? hint}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      value={token}
      readOnly={isFilledByResponse}
      error={error}
      autoComplete="off"
      spellCheck={false}
      rightSection={token !== '' && <CopyButton value={token} label={texts.tokenLabel} />}
      onChange={(event) => setTabToken(event.currentTarget.value)}
    />
  )
}
