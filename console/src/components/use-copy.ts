import { useEffect, useState } from 'react'
import { copyText } from './copy-text.ts'
import * as texts from './page-texts.ts'
import { toast } from './toast.tsx'

/** How long a used copy button shows its check mark (docs/console-checklist.md, 88 and 108). */
const CONFIRMED_MS = 2000

/** Copies and confirms it: a toast `{label} copied to clipboard`, and `isCopied` for 2 s. */
export function useCopy(label: string) {
  const [copiedAt, setCopiedAt] = useState<number | null>(null)

  useEffect(() => {
    if (copiedAt === null) return
    const timer = setTimeout(() => setCopiedAt(null), CONFIRMED_MS)
    return () => clearTimeout(timer)
  }, [copiedAt])

  const copy = async (text: string): Promise<boolean> => {
    const copied = await copyText(text)
    if (copied) {
      setCopiedAt(Date.now())
      toast({ title: texts.copyDone, message: texts.copyText(label) })
    } else {
      toast({
        title: texts.copyFailed,
        message: texts.copyFailedText(label),
        tone: 'failure',
      })
    }
    return copied
  }
  return { copy, isCopied: copiedAt !== null }
}
