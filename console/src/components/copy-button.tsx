import { ActionIcon, type ActionIconProps, Tooltip } from '@mantine/core'
import { Icon } from './icons.tsx'
import { useCopy } from './use-copy.ts'

export interface CopyButtonProps extends Pick<ActionIconProps, 'size' | 'variant'> {
  readonly value: string
  /** What is copied, as the toast says it: "Client ID". */
  readonly label: string
  /** The button's name when the label alone does not tell it apart, for example in a row. */
  readonly name?: string
  /** Why there is nothing to copy; the button stays and says it. */
  readonly disabledReason?: string
  readonly onCopied?: () => void
}

/** A small copy button that shows a check mark for 2 s after use. */
export function CopyButton({
  value,
  label,
  name = `Copy ${label}`,
  disabledReason,
  onCopied,
  size = 'md',
  variant = 'subtle',
}: CopyButtonProps) {
  const { copy, isCopied } = useCopy(label)
  const isDisabled = disabledReason !== undefined
  const press = async () => {
    if (!isDisabled && (await copy(value))) onCopied?.()
  }
  return (
    <Tooltip label={disabledReason ?? name} events={{ hover: true, focus: true, touch: true }}>
      <ActionIcon
        variant={variant}
        color={isCopied ? 'green' : 'gray'}
        size={size}
        aria-label={isDisabled ? `${name}: ${disabledReason}` : name}
        aria-disabled={isDisabled}
        data-copied={isCopied}
        {...(isDisabled ? { 'data-disabled': true } : {})}
        onClick={press}
      >
        <Icon name={isCopied ? 'check' : 'copy'} size={16} />
      </ActionIcon>
    </Tooltip>
  )
}
