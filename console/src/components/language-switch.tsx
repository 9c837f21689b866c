import classes from './code-block.module.css'
import { chooseCodeLanguage, codeLanguages, useCodeLanguage } from './code-language.ts'

/** Chooses the language of all samples. Plain buttons: they stand on every page. */
export function LanguageSwitch({ label }: { readonly label: string }) {
  const { language } = useCodeLanguage()
  return (
    <fieldset aria-label={label} className={classes.languages}>
      {codeLanguages.map(({ value, label: name }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === language}
          onClick={() => chooseCodeLanguage(value)}
        >
          {name}
        </button>
      ))}
    </fieldset>
  )
}
