import { defineConfig } from 'drizzle-kit'

/** For `npm run migration`, which runs in the root folder: paths are relative to it. */
export default defineConfig({
  dialect: 'postgresql',
  schema: './gateway/src/store/postgres/tables.ts',
  out: './gateway/drizzle-postgres',
})
