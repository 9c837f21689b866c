import { type ButtonHTMLAttributes, lazy, Suspense, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Icon, type IconName } from './icons.tsx'
import classes from './menu-button.module.css'

export interface MenuAct {
  readonly label: string
  /** A check mark says that it holds now. */
  readonly icon?: IconName
  /** It takes something away. */
  readonly isDangerous?: boolean
  readonly run: () => void
}

interface MenuButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly label: string
  readonly icon?: IconName
  readonly acts: () => readonly MenuAct[]
}

const ActsMenu = lazy(() => import('./acts-menu.tsx'))

/** A button with a menu, which is made, and its code fetched, when it opens: rows have one each. */
export function MenuButton({ label, icon = 'dots', acts, ...rest }: MenuButtonProps) {
  const box = useRef<HTMLSpanElement>(null)
  const [isOpen, setOpen] = useState(false)
  const close = () => {
    flushSync(() => setOpen(false))
    // The menu was made around the button, which is another one without it. A dialog that an act
    // opens gives the focus back to it.
    box.current?.querySelector('button')?.focus({ preventScroll: true })
  }
  const button = (
    <button
      className={classes.framed}
      {...rest}
      type="button"
      aria-label={label}
      title={label}
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
