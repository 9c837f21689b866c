import { type ButtonHTMLAttributes, lazy, Suspense, useRef, useState } from 'react'
import { Icon, type IconName } from '../../components/icons.tsx'

export interface MenuAct {
  readonly label: string
  /** A check mark says that it holds now. */
  readonly icon?: IconName | undefined
  readonly onClick: () => void
}

interface MenuButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly label: string
  readonly icon: IconName
  readonly acts: () => readonly MenuAct[]
}

const ActsMenu = lazy(() => import('./acts-menu.tsx'))

/** A button with a menu, which is made, and its code fetched, when it opens: rows have one each. */
export function MenuButton({ label, icon, acts, ...rest }: MenuButtonProps) {
  const box = useRef<HTMLSpanElement>(null)
  const [isOpen, setOpen] = useState(false)
  const close = () => {
    setOpen(false)
    // The menu was made around the button, which is another one without it.
    const focus = () => box.current?.querySelector('button')?.focus({ preventScroll: true })
    requestAnimationFrame(focus)
  }
  const button = (
    <button
      {...rest}
      type="button"
      aria-label={label}
      aria-haspopup="menu"
      onClick={() => setOpen(!isOpen)}
    >
      <Icon name={icon} size={14} />
    </button>
  )
  return (
    <span ref={box}>
      {isOpen ? (
        <Suspense fallback={button}>
          <ActsMenu acts={acts()} onClose={close}>
            {button}
          </ActsMenu>
        </Suspense>
      ) : (
        button
      )}
    </span>
  )
}
