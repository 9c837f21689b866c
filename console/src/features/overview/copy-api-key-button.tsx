import { HeaderButton } from '../../components/header-button.tsx'
import { useCopy } from '../../components/use-copy.ts'
import * as texts from './texts.ts'

/** Copies a fixed placeholder: exchange keys are never readable here. */
export function CopyApiKeyButton() {
  const { copy, isCopied } = useCopy(texts.apiKeyLabel)
  return (
    <HeaderButton
      icon={isCopied ? 'check' : 'copy'}
      onClick={() => void copy(texts.apiKeyPlaceholder)}
    >
      {texts.copyApiKey}
    </HeaderButton>
  )
}
