import { ActionIcon, type ActionIconProps } from '@mantine/core'
import { Icon } from './icons.tsx'
import * as texts from './page-texts.ts'
import { toast } from './toast.tsx'
import { useCopy } from './use-copy.ts'

export interface CopyButtonProps extends Pick<ActionIconProps, 'size' | 'variant'> {
  readonly value: string
  /** What is copied, as the toast says it: "Client ID". */
  readonly label: string
  /** The button's name when the label alone is ambiguous, for example in a row. */
  readonly name?: string
  /** Why there is nothing to copy; the button stays, copies nothing and says it. */
  readonly disabledReason?: string
  readonly onCopied?: () => void
}

/** A small copy button that shows a check mark for 2 s after use. */
export function CopyButton({
  value,
  label,
  name = texts.copyName(label),
  disabledReason,
  onCopied,
  size = 'md',
  variant = 'subtle',
}: CopyButtonProps) {
  const { copy, isCopied } = useCopy(label)
  const press = async () => {
    if (disabledReason !== undefined) {
      return toast({ title: texts.copyNothing, message: disabledReason, tone: 'info' })
    }
    if (await copy(value)) onCopied?.()
  }
  const isDisabled = disabledReason !== undefined
  return (
    <ActionIcon
      variant={variant}
      color={isCopied ? 'green' : 'gray'}
      size={size}
      aria-label={name}
      title={disabledReason ?? name}
      aria-disabled={isDisabled}
      data-copied={isCopied}
      onClick={press}
      style={isDisabled ? { opacity: 0.6 } : undefined}
    >
      <Icon name={isCopied ? 'check' : 'copy'} size={16} />
    </ActionIcon>
  )
}
