import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import type { Language } from './tokenize.ts'

export const CODE_LANGUAGES = ['curl', 'javascript', 'python'] as const
export type CodeLanguage = (typeof CODE_LANGUAGES)[number]

interface CodeLanguageState {
  readonly language: CodeLanguage
}

/** The language that samples are shown in, chosen once for all of them and kept by the browser. */
export const useCodeLanguage = create<CodeLanguageState>()(
  persist((): CodeLanguageState => ({ language: 'curl' }), {
    name: 'sluice.code-language',
    merge: (stored, current) => ({ ...current, ...known(stored) }),
  }),
)

export function chooseCodeLanguage(language: CodeLanguage): void {
  useCodeLanguage.setState({ language })
}

/** The languages with their names, as choices. */
export const codeLanguages: readonly { readonly value: CodeLanguage; readonly label: string }[] = [
  { value: 'curl', label: 'curl' },
  { value: 'javascript', label: 'JavaScript' },
  { value: 'python', label: 'Python' },
]

/** How a language is coloured. */
export const colouringOf: Readonly<Record<CodeLanguage, Language>> = {
  curl: 'shell',
  javascript: 'javascript',
  python: 'python',
}

/** Storage can hold what another version wrote. */
function known(stored: unknown): { language?: CodeLanguage } {
  if (typeof stored !== 'object' || stored === null || !('language' in stored)) return {}
  const language = CODE_LANGUAGES.find((each) => each === stored.language)
  return language === undefined ? {} : { language }
}
