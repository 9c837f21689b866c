import { ActionIcon, Group, TextInput } from '@mantine/core'
import { CopyButton } from '../../components/copy-button.tsx'
import { Icon } from '../../components/icons.tsx'
import { useReveal } from '../../components/use-reveal.ts'
import * as texts from './texts.ts'

const MASK = '••••••••••••••••'

interface SecretFieldProps {
  /** Names the buttons of a row apart. */
  readonly clientId: string
  /** The whole secret; undefined when it is no longer available. */
  readonly secret: string | undefined
  /** Revealed in place of a secret that is no longer available. */
  readonly preview: string
  readonly onCopied?: () => void
}

/**
 * A secret, masked until its eye reveals it. Without the whole of it the preview is revealed and
 * nothing is copied.
 */
export function SecretField({ clientId, secret, preview, onCopied }: SecretFieldProps) {
  const [isRevealed, setRevealed] = useReveal()
  const isPartial = secret === undefined
  return (
    <TextInput
      label={texts.secret}
      size="xs"
      readOnly
      value={isRevealed ? (secret ?? preview) : MASK}
      aria-label={texts.of.secret(clientId)}
      description={isRevealed && isPartial ? texts.shownOnce : undefined}
      inputWrapperOrder={['label', 'input', 'description']}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      rightSectionWidth={92}
      rightSection={
        <Group gap={2} wrap="nowrap">
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={texts.of.showSecret(clientId)}
            aria-pressed={isRevealed}
            onClick={() => setRevealed(!isRevealed)}
          >
            <Icon name={isRevealed ? 'eyeOff' : 'eye'} size={16} />
          </ActionIcon>
          <CopyButton
            value={secret ?? ''}
            label={texts.secret}
            name={texts.of.copySecret(clientId)}
            {...(isPartial ? { disabledReason: texts.shownOnce } : {})}
            {...(onCopied === undefined ? {} : { onCopied })}
          />
        </Group>
      }
    />
  )
}
