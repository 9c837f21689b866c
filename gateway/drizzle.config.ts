import { defineConfig } from 'drizzle-kit'

/** For `npm run migration`, which runs in the root folder: paths are relative to it. */
export default defineConfig({
  dialect: 'sqlite',
  schema: './gateway/src/store/sqlite/tables.ts',
  out: './gateway/drizzle',
})
