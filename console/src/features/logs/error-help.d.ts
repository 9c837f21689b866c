/** Made of `docs/errors.md` by `console/build/error-help.ts`. */
declare module 'virtual:error-help' {
  export const errorHelp: Readonly<
    Record<
      string,
      { readonly means: string; readonly again: 'no' | 'yes' | 'key' | 'new token' } | undefined
    >
  >
}
