import { Button } from '@mantine/core'
import { Icon } from '../../components/icons.tsx'
import { useCopy } from '../../components/use-copy.ts'
import { texts } from './texts.ts'

/** Copies a fixed placeholder: exchange keys are never readable here. */
export function CopyApiKeyButton() {
  const { copy, isCopied } = useCopy('API Key placeholder')
  return (
    <Button
      variant="default"
      leftSection={<Icon name={isCopied ? 'check' : 'copy'} size={16} />}
      onClick={() => void copy(texts.apiKeyPlaceholder)}
    >
      {texts.copyApiKey}
    </Button>
  )
}
